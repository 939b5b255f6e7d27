import { useRef } from 'preact/hooks';
import { type Alert, liveAlerts } from '../api/alerts.ts';
import { nowMs } from '../clock.ts';
import { useShared } from '../shared.ts';
import { AlertActions } from './alert-actions.tsx';
import { isLive, standingOf, whyNot } from './standing.ts';
import { useReader } from './use-reader.ts';
import './alerts.css';
import { alerts as texts } from '../texts/alerts.ts';

interface Props {
  readonly alert: Alert;
  /** The page's event. */
  readonly event: string;
  readonly onChange: (alert: Alert) => void;
  readonly onProblem: () => unknown;
}

export function AlertPart({ alert, event, onChange, onProblem }: Props) {
  const now = useShared(nowMs);
  const reader = useReader(alert.workspace);
  const standing = useRef<HTMLParagraphElement>(null);
  // Buttons that were shown once stay.
  const hasActions = useRef(false);
  hasActions.current ||= isLive(alert) || whyNot('reopen', alert, reader, now) === null;
  const changed = (next: Alert): void => {
    onChange(next);
    // The pressed button is gone.
    standing.current?.focus();
  };
  return (
    <article class={`paper alert-part alert-${alert.state} alert-${alert.level}`} aria-label={texts.label}>
      <p class="alert-said" role="status" ref={standing} tabIndex={-1}>
        {standingOf(alert, now, reader.id)}
      </p>
      {hasActions.current && <AlertActions alert={alert} onChange={changed} onProblem={onProblem} />}
      {alert.newest_event !== event && (
        <p class="hint">
          {texts.newest}{' '}
          <a class="link" href={`/events/${alert.newest_event}`}>
            {texts.toNewest}
          </a>
        </p>
      )}
      <OtherAlerts id={alert.id} />
    </article>
  );
}

/** Links to other open alerts: a push for several leads to one. */
function OtherAlerts({ id }: { readonly id: string }) {
  const others = useShared(liveAlerts)?.data?.alerts.filter((alert) => alert.state === 'open' && alert.id !== id) ?? [];
  if (others.length === 0) return null;
  return (
    <p class="hint">
      <a class="link" href="/alerts">
        {texts.others(others.length)}
      </a>
    </p>
  );
}
