import './alerts.css';
import type { Alert, AlertPage } from '../api/alerts.ts';
import { nowMs } from '../clock.ts';
import { LevelMark } from '../components/level-mark.tsx';
import { Moment } from '../components/moment.tsx';
import { useOwnId } from '../session.ts';
import { useShared } from '../shared.ts';
import { alerts as texts } from '../texts/alerts.ts';
import { workspaceLabel, workspaceNames } from '../workspace-names.ts';
import { standingOf } from './standing.ts';

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

export function LiveAlerts({ page: { alerts, next } }: { readonly page: AlertPage }) {
  return (
    <>
      <AlertList title={texts.open} alerts={alerts.filter(({ state }) => state === 'open')} />
      <AlertList title={texts.taken} alerts={alerts.filter(({ state }) => state === 'acknowledged')} />
      {next !== null && <p class="end">{texts.more(alerts.length)}</p>}
    </>
  );
}
