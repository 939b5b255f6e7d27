import type { Schema } from '../../api/client.ts';
import { msOf, times } from '../../format/time.ts';
import { platforms, reported } from '../../texts/inbox.ts';
import { events as texts } from '../../texts/workspace.ts';
import { outcomeWord } from './outcome-counts.tsx';

type Delivery = Schema<'DeviceDelivery'>;

export function DeliveryEntry({ delivery }: { readonly delivery: Delivery }) {
  const { device_id, device, member, platform, state, attempts, reason, kept_s, shown_at, opened_at } = delivery;
  return (
    <li class="entry">
      <div class="entry-text">
        <p class={device === null ? 'entry-name entry-ended' : 'entry-name'} dir="auto">
          {device ?? (device_id === null ? texts.deviceGone : texts.deviceOfNoMember)}
        </p>
        <p class="entry-meta">
          {member !== null && <span>{member}</span>}
          <span>{platforms[platform] ?? platform}</span>
          {device_id !== null && <span class="mono">{device_id}</span>}
        </p>
        <ol class="tries">
          {attempts.map((attempt) => (
            <li key={attempt.at}>
              <time dateTime={attempt.at} title={times.exact(msOf(attempt.at))}>
                {times.second(msOf(attempt.at))}
              </time>
              <span class={attempt.state === 'failed' ? 'urgent' : undefined}>{outcomeWord(attempt.state)}</span>
              {attempt.reason !== null && <span class="mono">{attempt.reason}</span>}
            </li>
          ))}
          {attempts.length === 0 && reason !== null && (
            <li>
              <span class="mono">{reason}</span>
            </li>
          )}
          {kept_s !== null && <li>{texts.keptFor(kept_s)}</li>}
          <Report at={shown_at} word={reported.wasShown} />
          <Report at={opened_at} word={reported.wasOpened} />
        </ol>
      </div>
      {attempts.at(-1)?.state !== state && <p class="entry-state">{outcomeWord(state)}</p>}
    </li>
  );
}

/** A time that the device reported; null: it did not. */
function Report({ at, word }: { readonly at: string | null; readonly word: string }) {
  if (at === null) return null;
  return (
    <li>
      <time dateTime={at} title={times.exact(msOf(at))}>
        {times.second(msOf(at))}
      </time>
      <span>{word}</span>
    </li>
  );
}
