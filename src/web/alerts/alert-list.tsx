import type { Alert } from '../api/alerts.ts';
import { AlertRow } from './alert-row.tsx';

interface Props {
  readonly title: string;
  readonly alerts: readonly Alert[];
}

/** Alerts of a kind, where there are some. */
export function AlertList({ title, alerts }: Props) {
  if (alerts.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 class="group">{title}</h2>
      <ul class="list">
        {alerts.map((alert) => (
          <AlertRow key={alert.id} alert={alert} />
        ))}
      </ul>
    </section>
  );
}
