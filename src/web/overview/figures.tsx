import type { Schema } from '../api/client.ts';
import { whole } from '../format/numbers.ts';
import { texts } from '../texts/overview.ts';
import { latencyText } from './latency.ts';

type Stats = Schema<'StatisticsAnswer'>['stats'];

/** The figures that matter, at a glance. */
export function Figures({ stats }: { readonly stats: Stats }) {
  return (
    <dl class="figures">
      {figuresOf(stats).map(([what, figure, more]) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd>
            <b class="num">{figure}</b>
            {more !== undefined && <span class="num">{more}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function figuresOf({ events, totals, waiting, latency, usage }: Stats) {
  const waits = waiting.reduce((sum, { pushes }) => sum + pushes, 0);
  const figures: (readonly [what: string, figure: string, more?: string])[] = [
    [texts.figures.events, whole(events)],
    [texts.figures.accepted, whole(totals.accepted)],
    [texts.figures.waiting, whole(waits)],
    [texts.figures.failed, whole(totals.failed)],
    [texts.figures.latency, latencyText(latency)],
  ];
  const [month] = usage;
  if (month === undefined) return figures;
  const { monthly_event_allowance: allowance, used, forecast } = month;
  const what = allowance === null ? texts.figures.unlimited : texts.figures.ofAllowance(allowance);
  return [...figures, [what, whole(used), texts.figures.forecast(Math.round(forecast))] as const];
}
