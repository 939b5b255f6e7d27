import type { Schema } from '../api/client.ts';
import { latencyText } from '../format/durations.ts';
import { whole } from '../format/numbers.ts';
import { overview as texts } from '../texts/workspace.ts';

type Stats = Schema<'StatisticsAnswer'>['stats'];

export function Figures({ stats }: { readonly stats: Stats }) {
  return (
    <dl class="figures">
      {figuresOf(stats).map(([what, figure]) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd class="num">{figure}</dd>
        </div>
      ))}
    </dl>
  );
}

function figuresOf({ events, totals, waiting, latency, usage }: Stats) {
  const waits = waiting.reduce((sum, { pushes }) => sum + pushes, 0);
  const figures: (readonly [what: string, figure: string])[] = [
    [texts.figures.events, whole(events)],
    [texts.figures.accepted, whole(totals.accepted)],
    [texts.figures.waiting, whole(waits)],
    [texts.figures.failed, whole(totals.failed)],
    [texts.figures.latency, latencyText(latency)],
  ];
  const [month] = usage;
  if (month === undefined) return figures;
  const { monthly_event_allowance: allowance, used, forecast } = month;
  const thisMonth =
    allowance === null
      ? texts.figures.unlimited(Math.round(forecast))
      : texts.figures.ofAllowance(allowance, Math.round(forecast));
  return [...figures, [thisMonth, whole(used)] as const];
}
