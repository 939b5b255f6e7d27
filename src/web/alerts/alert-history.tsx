import type { Alert } from '../api/alerts.ts';
import type { WholeEvent } from '../api/event-types.ts';
import { nowMs } from '../clock.ts';
import { msOf, times } from '../format/time.ts';
import { useShared } from '../shared.ts';
import { useOwnId } from './own-id.ts';
import { stepsOf } from './standing.ts';
import './alerts.css';
import { listed } from '../format/locale.ts';
import { alerts as texts } from '../texts/alerts.ts';

type Notified = WholeEvent['notified'][number];

export function AlertHistory({ alert, notified }: { readonly alert: Alert; readonly notified: readonly Notified[] }) {
  const now = useShared(nowMs);
  const own = useOwnId();
  return (
    <article class="paper" aria-label={texts.history}>
      <h2 class="alert-heading">{texts.history}</h2>
      <ol class="alert-steps">
        {stepsOf(alert, now, own).map(({ atMs, text, isAhead }) => (
          <li key={text} class={isAhead ? 'is-ahead' : undefined}>
            <time dateTime={new Date(atMs).toISOString()} title={times.exact(atMs)}>
              {times.since(atMs, now)}
            </time>
            <span>{text}</span>
          </li>
        ))}
      </ol>
      {alert.escalated_to.length > 0 && <p class="hint">{texts.also(listed(alert.escalated_to_names))}</p>}
      {notified.length > 0 && (
        <>
          <h3 class="alert-heading">{texts.notified}</h3>
          <ul class="alert-steps">
            {notified.map(({ id, name, at }) => (
              <li key={id}>
                <time dateTime={at} title={times.exact(msOf(at))}>
                  {times.since(msOf(at), now)}
                </time>
                <bdi>{id === own ? texts.you : name}</bdi>
              </li>
            ))}
          </ul>
          <p class="hint">{texts.notifiedMeans}</p>
        </>
      )}
    </article>
  );
}
