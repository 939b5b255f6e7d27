import type { Alert } from '../api/alerts.ts';
import { nowMs } from '../clock.ts';
import { LevelMark } from '../components/level-mark.tsx';
import { Moment } from '../components/moment.tsx';
import { useShared } from '../shared.ts';
import { workspaceLabel, workspaceNames } from '../workspace-names.ts';
import { useOwnId } from './own-id.ts';
import { standingOf } from './standing.ts';
import './alerts.css';

interface Props {
  readonly title: string;
  readonly alerts: readonly Alert[];
}

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

/** An alert whose whole row leads to its page. */
function AlertRow({ alert }: { readonly alert: Alert }) {
  const now = useShared(nowMs);
  const own = useOwnId();
  const workspace = workspaceLabel(alert.workspace, useShared(workspaceNames));
  return (
    <li class={`event alert-${alert.state} alert-${alert.level}`}>
      <LevelMark level={alert.level} />
      <a class="event-title" href={`/events/${alert.id}`} dir="auto">
        {alert.title}
      </a>
      <Moment at={alert.opened_at} />
      <p class="alert-standing">{standingOf(alert, now, own)}</p>
      <p class="event-meta">
        <bdi>{alert.channel_name}</bdi>
        {workspace !== null && <bdi>{workspace}</bdi>}
      </p>
    </li>
  );
}
