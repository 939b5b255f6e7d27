import type { Schema } from '../api/client.ts';
import { latencyText } from '../format/durations.ts';
import { whole } from '../format/numbers.ts';
import { msOf, times } from '../format/time.ts';
import { overview as texts } from '../texts/workspace.ts';
import { type Bar, barsOf } from './bars.ts';
import { Plot } from './plot.tsx';
import { Table } from './table.tsx';

type Stats = Schema<'StatisticsAnswer'>['stats'];

interface Props {
  readonly stats: Stats;
  readonly by: 'hour' | 'day';
}

export function Plots({ stats, by }: Props) {
  const bars = barsOf(stats.series, msOf(stats.since), msOf(stats.until), by);
  const startsMs = bars.map(({ startMs }) => startMs);
  // Hours are local; days are counted in UTC.
  const when = by === 'hour' ? times.hour : times.utcDay;
  const isOneDay = by === 'hour' && bars.length <= HOURS_WITHOUT_DAY;
  const tick = isOneDay ? times.clock : when;
  const bar = (index: number): Bar => bars[index] as Bar;
  const { events, pushes } = texts.plots[by];
  const axis = { startsMs, when, tick };
  return (
    <>
      <Plot
        title={events}
        {...axis}
        series={[{ values: bars.map((bar) => bar.events), colour: '--accent' }]}
        words={(index) => texts.plots.events(bar(index).events)}
      />
      <Plot
        title={pushes}
        {...axis}
        series={[
          { values: bars.map(({ accepted, others }) => accepted + others), colour: '--error' },
          { values: bars.map(({ accepted }) => accepted), colour: '--accent' },
        ]}
        words={(index) => texts.plots.pushes(bar(index).accepted, bar(index).others)}
      />
      <details class="figures-table">
        <summary>{texts.plots.table}</summary>
        <Table
          label={texts.plots.table}
          heads={[
            by === 'hour' ? texts.plots.hourHead : texts.plots.dayHead,
            ...COLUMNS.map((name) => texts.heads[name]),
            texts.heads.latency,
          ]}
          rows={[...stats.series].reverse().map((slot) => ({
            key: slot.start,
            cells: [when(msOf(slot.start)), ...COLUMNS.map((name) => whole(slot[name])), latencyText(slot.latency)],
          }))}
        />
      </details>
    </>
  );
}

/** More hours need the day. */
const HOURS_WITHOUT_DAY = 26;

export const COLUMNS = ['events', 'accepted', 'failed', 'unregistered', 'expired', 'withdrawn'] as const;
