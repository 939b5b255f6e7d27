import './alerts.css';
import { useRef } from 'preact/hooks';
import { type Alert, liveAlerts } from '../api/alerts.ts';
import type { Schema } from '../api/client.ts';
import type { WholeEvent } from '../api/event-types.ts';
import { nowMs } from '../clock.ts';
import { Time } from '../components/moment.tsx';
import { listed } from '../format/locale.ts';
import { msOf, times } from '../format/time.ts';
import { useOwnId } from '../session.ts';
import { useShared } from '../shared.ts';
import { alerts as texts } from '../texts/alerts.ts';
import { outcomes, reported } from '../texts/inbox.ts';
import { AlertActions, useReader } from './alert-actions.tsx';
import { isLive, standingOf, stepsOf, whyNot } from './standing.ts';

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
                <Time at={at} text={times.since(msOf(at), now)} />
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

type OwnDelivery = Schema<'OwnDelivery'>;

/** Shows how an alert's push went on the reader's devices: accepted, shown, opened. */
export function OwnDevices({ devices }: { readonly devices: readonly OwnDelivery[] }) {
  const now = useShared(nowMs);
  if (devices.length === 0) return null;
  return (
    <article class="paper" aria-label={texts.ownDevices}>
      <h2 class="alert-heading">{texts.ownDevices}</h2>
      <ol class="alert-steps">
        {devices.flatMap((device) =>
          reportedSteps(device).map(([at, word], nth) => (
            <li key={`${device.id} ${word}`}>
              <Time at={at} text={times.since(msOf(at), now)} />
              <span>
                {nth === 0 && <bdi>{device.name}: </bdi>}
                {word}
              </span>
            </li>
          )),
        )}
      </ol>
      <p class="hint">{texts.ownDevicesMeans}</p>
    </article>
  );
}

function reportedSteps({
  state,
  at,
  shown_at,
  opened_at,
}: OwnDelivery): readonly (readonly [at: string, word: string])[] {
  return [
    [at, outcomes[state]],
    ...(shown_at === null ? [] : [[shown_at, reported.wasShown] as const]),
    ...(opened_at === null ? [] : [[opened_at, reported.wasOpened] as const]),
  ];
}
