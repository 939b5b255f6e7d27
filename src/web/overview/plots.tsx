import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schema } from '../api/client.ts';
import { latencyText } from '../format/durations.ts';
import { whole } from '../format/numbers.ts';
import { msOf, times } from '../format/time.ts';
import { overview as texts } from '../texts/workspace.ts';
import { type Bar, barsOf } from './bars.ts';
import type { PlotData } from './draw-plot.ts';

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

interface PlotProps extends Omit<PlotData, 'label' | 'onPoint'> {
  readonly title: string;
  readonly when: (startMs: number) => string;
  readonly words: (index: number) => string;
}

/** Shows bars over time, drawn by code loaded on demand. The table below repeats the figures. */
function Plot({ title, when, words, ...data }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const { startsMs, series } = data;
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn again for other figures only
  useEffect(() => {
    let end: (() => void) | null = null;
    let isGone = false;
    const draw = async (): Promise<void> => {
      const drawing = await import('./draw-plot.ts').catch(() => null);
      if (drawing === null || isGone || place.current === null) return;
      end = drawing.drawPlot(place.current, { ...data, label: texts.plots.label(title), onPoint: setPointed });
    };
    void draw();
    return () => {
      isGone = true;
      end?.();
    };
  }, [title, JSON.stringify([startsMs, series])]);
  const startMs = pointed === null ? undefined : startsMs[pointed];
  return (
    <section>
      <div class="plot-head">
        <h2 class="group">{title}</h2>
        <p class="num" aria-hidden="true">
          {startMs !== undefined && pointed !== null && texts.plots.point(when(startMs), words(pointed))}
        </p>
      </div>
      <div class="plot">
        <div ref={place} class="plot-place" />
      </div>
    </section>
  );
}

interface TableProps {
  readonly label: string;
  readonly heads: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ComponentChildren[] }[];
}

/** A table of figures that scrolls sideways, also by keyboard. */
export function Table({ label, heads, rows }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard, too
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [first, ...others] }) => (
            <tr key={key}>
              <th scope="row">{first}</th>
              {others.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column has its place
                <td key={index} class="num">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
