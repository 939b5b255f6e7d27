import { v7 as uuidv7 } from 'uuid';
import {
  type CancelProgress,
  type DeadLetter,
  isRefusal,
  type LinkLoss,
  type Refusal,
  type ResendProgress,
  type StoreClient,
} from '../../../store/calls.ts';
import type { Command } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';
import { count } from '../../output/table.ts';

const CANCEL_DETAILS = `
A scheduled event (send --at) is never sent. The queued pushes of other events
are withdrawn (reason: cancelled): those that wait for their turn, a retry, a
paused route or a suspended workspace. Pushes in a delivery thread are withdrawn
if they were not sent yet. Accepted pushes cannot be withdrawn.

The event still counts as usage. To cancel it again changes nothing.
`;

export function addEventCancel(event: Command, context: CommandContext): void {
  event
    .command('cancel <public_id>')
    .description('cancel an event: withdraw its pushes that were not sent yet')
    .details(CANCEL_DETAILS)
    .examples('pushctl event cancel evt_01k9z3v5m8q2w4e6r8t0y2a4c6')
    .action(async (publicId: string) => {
      const { wasScheduled, ...cancelled } = await context.withStore(async (store) => {
        const { event, withdrawn, wasScheduled } = unwrap(await cancel(store, publicId));
        return { event, withdrawn, dead_letters: await deadLetters(store, event), wasScheduled };
      });
      context.print(cancelled, () =>
        wasScheduled ? `Cancelled ${cancelled.event.public_id} before its time.` : reportOf(cancelled),
      );
    });
}

interface Cancelled extends Pick<CancelProgress, 'event' | 'withdrawn'> {
  /** Pushes that a bug in pushctl keeps from ending. */
  readonly dead_letters: readonly DeadLetter[];
}

/** Cancels in steps: the first decides, the others end remaining pushes. */
export async function cancel(
  store: StoreClient,
  publicId: string,
): Promise<(Pick<CancelProgress, 'event' | 'withdrawn'> & { readonly wasScheduled: boolean }) | Refusal> {
  const begun = await store.cancelEvent({ publicId });
  if (isRefusal(begun)) return begun;
  const { wasScheduled } = begun;
  let { event, withdrawn, done } = begun;
  while (!done) {
    const step = await store.continueCancel({ publicId });
    if (isRefusal(step)) return step;
    ({ event, done } = step);
    withdrawn += step.withdrawn;
  }
  return { event, withdrawn, wasScheduled };
}

async function deadLetters(
  store: StoreClient,
  { public_id: publicId, deliveries }: CancelProgress['event'],
): Promise<readonly DeadLetter[]> {
  if (deliveries.pending === 0) return [];
  return unwrap(await store.showEvent({ publicId, limit: 1 })).event.set_aside;
}

function reportOf({ event: { public_id: id, deliveries }, withdrawn, dead_letters: [deadLetter] }: Cancelled): string {
  const { accepted, pending } = deliveries;
  const before = `${count(accepted, 'push', 'pushes')} ${accepted === 1 ? 'was' : 'were'} accepted before.`;
  if (withdrawn === 0 && pending === 0) return `No push of ${id} was left to withdraw. ${before}`;
  const lines = [`Withdrew ${count(withdrawn, 'push', 'pushes')} of ${id}. ${before}`];
  if (deadLetter !== undefined) {
    const held = `An error of pushctl holds ${count(pending, 'push', 'pushes')} (${deadLetter.reason})`;
    lines.push(`${held}. They were not sent, and stay pending. Try again: pushctl queue retry`);
  } else if (pending > 0) {
    const out = `${count(pending, 'push', 'pushes')} being sent at this moment`;
    lines.push(`Called back ${out}. See the result: pushctl event show ${id}`);
  }
  return lines.join('\n');
}

const RESEND_DETAILS = `
Failed and expired pushes are sent again under the id of the event. Their time
to live starts now. Only devices that are active and stayed subscribed to the
channel get them. This does not count as usage. Accepted pushes are not resent.

With --all, the event is posted again as a new event with a new id. It goes to
all devices that are subscribed now, even if they showed the old event. It also
counts as usage, and appears in the inbox a second time.

Links (url, image_url) and data are never stored, so most resent pushes have
none. The answer says so.
`;
const LINKS: Readonly<Record<LinkLoss, string>> = {
  none: '',
  lost: '\nIt had links or data, which are not stored, so it is sent without them.',
  unknown:
    '\nIt had links or data, which are not stored: it is sent with them only if the server has not restarted since.',
};

export function addEventResend(event: Command, context: CommandContext): void {
  event
    .command('resend <public_id>')
    .description('resend the failed and expired pushes of an event; with --all, post it again to everyone')
    .option('--all', 'post it again as a new event, to all devices subscribed now')
    .details(RESEND_DETAILS)
    .examples(
      'pushctl event resend evt_01k9z3v5m8q2w4e6r8t0y2a4c6',
      'pushctl event resend evt_01k9z3v5m8q2w4e6r8t0y2a4c6 --all',
    )
    .action((publicId: string, { all = false }: { all?: boolean }) => (all ? repost : resend)(context, publicId));
}

async function resend(context: CommandContext, publicId: string): Promise<void> {
  const { event, resent, links } = await context.withStore((store) => toTheEnd(store, publicId));
  context.print({ event, resent, links }, () => {
    if (resent === 0)
      return `No device is left to send ${publicId} to: the devices are inactive, or no longer subscribed.`;
    const next = `See the result: pushctl event show ${publicId}`;
    return `Queued ${count(resent, 'push', 'pushes')} of ${publicId} again.${LINKS[links]}\n${next}`;
  });
}

/** Resends in steps; the first decides. If this process ends early, a server finishes. */
async function toTheEnd(store: StoreClient, publicId: string): Promise<ResendProgress & { links: LinkLoss }> {
  const { links, ...begun } = unwrap(await store.resendEvent({ publicId }));
  let progress: ResendProgress = begun;
  while (!progress.done) progress = unwrap(await store.continueResend({ publicId }));
  return { ...progress, links };
}

async function repost(context: CommandContext, publicId: string): Promise<void> {
  const posted = await context.withStore((store) => store.repostEvent({ publicId, uuid: uuidv7() }));
  const { event, links } = unwrap(posted);
  const { public_id: id, target_device_count: resent } = event;
  context.print({ event, resent, links }, () => {
    const next = `See the result: pushctl event show ${id}`;
    return `Posted ${publicId} again as ${id}, for ${count(resent, 'device')}.${LINKS[links]}\n${next}`;
  });
}
