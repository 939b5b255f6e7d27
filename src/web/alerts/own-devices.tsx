import type { Schema } from '../api/client.ts';
import { nowMs } from '../clock.ts';
import { msOf, times } from '../format/time.ts';
import { useShared } from '../shared.ts';
import './alerts.css';
import { alerts as texts } from '../texts/alerts.ts';
import { outcomes, reported } from '../texts/inbox.ts';

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
          stepsOf(device).map(([at, word], nth) => (
            <li key={`${device.id} ${word}`}>
              <time dateTime={at} title={times.exact(msOf(at))}>
                {times.since(msOf(at), now)}
              </time>
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

function stepsOf({ state, at, shown_at, opened_at }: OwnDelivery): readonly (readonly [at: string, word: string])[] {
  return [
    [at, outcomes[state]],
    ...(shown_at === null ? [] : [[shown_at, reported.wasShown] as const]),
    ...(opened_at === null ? [] : [[opened_at, reported.wasOpened] as const]),
  ];
}
