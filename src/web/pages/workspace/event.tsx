import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { EventHead } from '../../components/event-head.tsx';
import { Page } from '../../components/page.tsx';
import { happenedAt } from '../../format/happened.ts';
import { whole } from '../../format/numbers.ts';
import { msOf, times } from '../../format/time.ts';
import { DeliveryEntry } from '../../manage/events/delivery-entry.tsx';
import { OutcomeCounts } from '../../manage/events/outcome-counts.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { PageList } from '../../manage/page-list.tsx';
import { usePages } from '../../manage/use-pages.ts';
import { texts } from '../../texts/workspace-events.ts';

type Event = Schema<'EventInFull'>;

/** One event, and what became of it on each device. */
function EventOfWorkspace({ workspace: { slug }, event: publicId }: ManagedProps) {
  const pages = usePages(
    publicId,
    (after) =>
      ask('get', '/v1/workspaces/{workspace}/events/{public_id}', {
        path: { workspace: slug, public_id: publicId },
        query: after === undefined ? {} : { after },
      }),
    (page) => page.deliveries,
    ['events'],
  );
  const event = pages.first?.event;
  return (
    <Page title={event?.title ?? texts.event}>
      {event !== undefined && <Details event={event} />}
      {event !== undefined && <h2 class="group">{texts.timeline}</h2>}
      <PageList
        pages={pages}
        label={texts.timeline}
        row={(delivery) => <DeliveryEntry key={`${delivery.device_id} ${delivery.at}`} delivery={delivery} />}
        empty={<p class="about">{texts.noDeliveries}</p>}
      />
      <p class="onward">
        <a class="link" href={`/w/${slug}/events`}>
          {texts.toAll}
        </a>
      </p>
    </Page>
  );
}

function Details({ event }: { readonly event: Event }) {
  return (
    <article class="paper">
      <EventHead event={event} />
      {remarksOn(event).map((remark) => (
        <p class="note" key={remark}>
          {remark}
        </p>
      ))}
      <dl class="facts">
        <div>
          <dt>{texts.outcome}</dt>
          <dd class="event-meta">
            <OutcomeCounts counts={event.deliveries} />
          </dd>
        </div>
        {factsOf(event).map(([name, value, isMono]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={isMono ? 'mono' : 'num'}>{value}</dd>
          </div>
        ))}
      </dl>
    </article>
  );
}

function factsOf(event: Event): readonly (readonly [name: string, value: string, isMono?: boolean])[] {
  const { event_type: type, collapse_key: collapse } = event;
  const happened = happenedAt(event);
  return [
    [texts.targeted, whole(event.target_device_count)],
    ...(happened === null ? [] : ([[texts.happened, times.exact(msOf(happened))]] as const)),
    [texts.received, times.exact(msOf(event.received_at))],
    [texts.channel, event.channel ?? texts.test],
    ...(type === null ? [] : ([[texts.type, type, true]] as const)),
    ...(collapse === null ? [] : ([[texts.collapse, collapse, true]] as const)),
    [texts.id, event.public_id, true],
  ];
}

/** What is out of the ordinary about it. */
function remarksOn({ waiting_routes, set_aside, state, send_at, cancelled_at, resent }: Event): readonly string[] {
  const isLater = state === 'scheduled' && send_at !== null;
  return [
    ...(isLater ? [texts.scheduled(times.exact(msOf(send_at)))] : []),
    ...(state === 'restored' ? [texts.restored] : []),
    ...(waiting_routes.length > 0 ? [texts.waits(waiting_routes.join(', '))] : []),
    ...set_aside.map(({ route, reason }) => texts.setAside(route, reason)),
    ...(cancelled_at === null ? [] : [texts.cancelled(times.exact(msOf(cancelled_at)))]),
    ...(resent === null ? [] : [texts.resent(whole(resent.pushes), times.exact(msOf(resent.at)))]),
  ];
}

export default managed(EventOfWorkspace);
