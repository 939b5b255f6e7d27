import { useState } from 'preact/hooks';
import { ask, change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialogs/dialog.tsx';
import { EventHead, onCallWords, whyQuiet } from '../../components/event-head.tsx';
import { Fact, KeyFact } from '../../components/fact.tsx';
import { Onward } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Notice, useDone } from '../../components/toast.tsx';
import { whole } from '../../format/numbers.ts';
import { happenedAt, msOf, times } from '../../format/time.ts';
import { DeliveryGroups } from '../../manage/events/delivery-groups.tsx';
import { MemberResults } from '../../manage/events/member-results.tsx';
import { OutcomeCounts, ReportedCounts } from '../../manage/events/outcome-counts.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { lists as shared } from '../../texts/common.ts';
import { quiet } from '../../texts/inbox.ts';
import { results, pushResults as untried } from '../../texts/members.ts';
import { events as texts } from '../../texts/workspace.ts';

type Event = Schema<'EventInFull'>;

function EventOfWorkspace({ workspace: { slug }, subject: publicId }: ManagedProps) {
  const loaded = useLoad(
    publicId,
    () =>
      ask('get', '/v1/workspaces/{workspace}/events/{public_id}', {
        path: { workspace: slug, public_id: publicId },
        query: { limit: 1 },
      }),
    ['events'],
  );
  const [done, finish] = useDone(loaded.reload);
  const event = loaded.data?.event;
  return (
    <Page title={event?.title ?? texts.event}>
      <Loading of={loaded} label={shared.loading} />
      {event !== undefined && (
        <>
          <Details event={event} />
          <EventActions event={event} onDone={(text) => finish({ text })} />
          <MemberResults workspace={slug} publicId={publicId} />
          <h2 class="group">{texts.timeline}</h2>
          {event.target_device_count === 0 && <p class="about">{texts.noDevices}</p>}
          <DeliveryGroups event={event} />
        </>
      )}
      <Onward href={`/w/${slug}/events`}>{texts.toAll}</Onward>
      <Notice done={done} />
    </Page>
  );
}

function Details({ event }: { readonly event: Event }) {
  const happened = happenedAt(event);
  return (
    <article class="paper">
      <EventHead event={event} />
      {remarksOn(event).map((remark) => (
        <p class="note" key={remark}>
          {remark}
        </p>
      ))}
      <dl class="facts">
        <Fact name={texts.outcome}>
          <span class="event-meta">
            <OutcomeCounts counts={event.deliveries} />
            <ReportedCounts counts={event.deliveries} />
          </span>
        </Fact>
        {event.never_tried.length > 0 && (
          <Fact name={untried.untried}>
            {untried.counts(event.never_tried.map(({ result, devices }) => [devices, results[result] ?? result]))}
          </Fact>
        )}
        <Fact name={texts.targeted}>{whole(event.target_device_count)}</Fact>
        {event.quiet !== null && <Fact name={texts.quiet}>{whyQuiet(event.quiet)}</Fact>}
        {event.on_call !== null && <Fact name={quiet.onCall}>{onCallWords(event.on_call)}</Fact>}
        {happened !== null && <Fact name={texts.happened}>{times.exact(msOf(happened))}</Fact>}
        <Fact name={texts.received}>{times.exact(msOf(event.received_at))}</Fact>
        <Fact name={texts.channel}>{event.channel_name ?? texts.test}</Fact>
        <KeyFact name={texts.type} value={event.event_type} />
        <KeyFact name={texts.collapse} value={event.collapse_key} />
        <KeyFact name={texts.id} value={event.public_id} />
      </dl>
    </article>
  );
}

/** Returns sentences about anything unusual. */
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

interface EventActionsProps {
  readonly event: Schema<'EventInFull'>;
  /** `text`: what was done. */
  readonly onDone: (text: string) => void;
}

/** Resends failed and expired pushes, withdraws waiting ones. Dialogs announce the effect. */
function EventActions({ event, onDone }: EventActionsProps) {
  const [open, setOpen] = useState<'resend' | 'cancel' | null>(null);
  const { workspace, public_id, deliveries, state } = event;
  const lost = deliveries.failed + deliveries.expired;
  const isScheduled = state === 'scheduled';
  const path = { workspace, public_id };
  const close = (): void => setOpen(null);
  if (lost === 0 && deliveries.pending === 0 && !isScheduled) return null;
  return (
    <div class="actions">
      {lost > 0 && <Button text={texts.resend} onClick={() => setOpen('resend')} />}
      {(deliveries.pending > 0 || isScheduled) && (
        <Button text={texts.cancel} class="danger" onClick={() => setOpen('cancel')} />
      )}
      {open === 'resend' && (
        <ConfirmDialog
          title={texts.resendTitle(lost)}
          action={texts.resend}
          call={() => change('post', '/v1/workspaces/{workspace}/events/{public_id}/resend', { path })}
          onDone={({ resent }) => onDone(texts.wasResent(resent))}
          onClose={close}
        >
          <p>{texts.resendText(deliveries.failed, deliveries.expired)}</p>
          <p>{texts.resendNot(deliveries.accepted)}</p>
          <p>{texts.resendLinks}</p>
        </ConfirmDialog>
      )}
      {open === 'cancel' && (
        <ConfirmDialog
          title={isScheduled ? texts.cancelScheduledTitle : texts.cancelTitle(deliveries.pending)}
          action={texts.cancel}
          call={() => change('post', '/v1/events/{public_id}/cancel', { path: { public_id } })}
          onDone={() => onDone(texts.wasCancelled)}
          onClose={close}
        >
          <p>{isScheduled ? texts.cancelScheduledText : texts.cancelText(deliveries.accepted)}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
