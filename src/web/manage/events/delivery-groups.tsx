import { useState } from 'preact/hooks';
import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { whole } from '../../format/numbers.ts';
import { outcomes } from '../../texts/inbox.ts';
import { events as texts } from '../../texts/workspace.ts';
import { PageList } from '../page-list.tsx';
import { DeliveryEntry } from './delivery-entry.tsx';

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
