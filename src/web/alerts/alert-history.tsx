import type { Alert } from '../api/alerts.ts';
import { nowMs } from '../components/moment.tsx';
import { times } from '../format/time.ts';
import { useShared } from '../shared.ts';
import { texts } from '../texts/alerts.ts';
import { stepsOf } from './standing.ts';
import './alerts.css';

/** What has happened to an alert, and what comes next where nothing happens. */
export function AlertHistory({ alert }: { readonly alert: Alert }) {
  const now = useShared(nowMs);
  return (
    <article class="paper" aria-label={texts.history}>
      <h2 class="alert-heading">{texts.history}</h2>
      <ol class="alert-steps">
        {stepsOf(alert, now).map(({ atMs, text, isAhead }) => (
          <li key={text} class={isAhead ? 'is-ahead' : undefined}>
            <time dateTime={new Date(atMs).toISOString()} title={times.exact(atMs)}>
              {times.since(atMs, now)}
            </time>
            <span>{text}</span>
          </li>
        ))}
      </ol>
      {alert.escalated_to.length > 0 && <p class="alert-note">{texts.also(alert.escalated_to.join(', '))}</p>}
    </article>
  );
}
