import { useState } from 'preact/hooks';
import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { usePages } from '../../api/use-load.ts';
import { Time } from '../../components/moment.tsx';
import { whole } from '../../format/numbers.ts';
import { msOf, times } from '../../format/time.ts';
import { outcomes, platforms, reported } from '../../texts/inbox.ts';
import { events as texts } from '../../texts/workspace.ts';
import { PageList } from '../list.tsx';
import { outcomeWord } from './outcome-counts.tsx';

type Event = Schema<'EventInFull'>;

/** States in order, and whether groups are open: urgent first and open. Successes are a number to unfold. */
const GROUPS = [
  ['failed', true],
  ['expired', true],
  ['unregistered', true],
  ['pending', true],
  ['withdrawn', false],
  ['accepted', false],
] as const;

export function DeliveryGroups({ event }: { readonly event: Event }) {
  return (
    <>
      {GROUPS.map(([state, isOpen]) => {
        const count = event.deliveries[state];
        return count > 0 && <Group key={state} event={event} state={state} count={count} isOpen={isOpen} />;
      })}
    </>
  );
}

type State = (typeof GROUPS)[number][0];

interface Props {
  readonly event: Event;
  readonly state: State;
  readonly count: number;
  readonly isOpen: boolean;
}

function Group({ event, state, count, isOpen }: Props) {
  const [isShown, setShown] = useState(isOpen);
  return (
    <details class="deliveries" open={isOpen} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>
        <span class={state === 'failed' ? 'num urgent' : 'num'}>
          {whole(count)} {outcomes[state]}
        </span>
      </summary>
      {isShown && <Deliveries event={event} state={state} count={count} />}
    </details>
  );
}

function Deliveries({ event, state, count }: Omit<Props, 'isOpen'>) {
  const { workspace, public_id } = event;
  const pages = usePages(
    // A changed count means new deliveries.
    `${public_id} ${state} ${count}`,
    (after) =>
      ask('get', '/v1/workspaces/{workspace}/events/{public_id}', {
        path: { workspace, public_id },
        query: { state, after },
      }),
    (page) => page.deliveries,
    [],
  );
  return (
    <PageList
      pages={pages}
      label={outcomes[state]}
      expected={count}
      row={(delivery) => <DeliveryEntry key={`${delivery.device_id} ${delivery.at}`} delivery={delivery} />}
      empty={<p class="about">{state === 'pending' ? texts.notTried : texts.noDeliveries}</p>}
    />
  );
}

type Delivery = Schema<'DeviceDelivery'>;

function DeliveryEntry({ delivery }: { readonly delivery: Delivery }) {
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
              <Time at={attempt.at} text={times.second(msOf(attempt.at))} />
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
      <Time at={at} text={times.second(msOf(at))} />
      <span>{word}</span>
    </li>
  );
}
