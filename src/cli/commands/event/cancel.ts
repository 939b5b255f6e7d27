import {
  type CancelProgress,
  type DeadLetter,
  isRefusal,
  type Refusal,
  type StoreClient,
} from '../../../store/calls.ts';
import type { Command } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';
import { count } from '../../output/table.ts';

const DETAILS = `
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
    .details(DETAILS)
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
    const left = `${count(pending, 'push is', 'pushes are')} set aside by an error of pushctl (${deadLetter.reason})`;
    lines.push(
      `${left}. They were not sent, and stay pending until a server without this error starts: pushctl doctor`,
    );
  } else if (pending > 0) {
    const out = `${count(pending, 'push', 'pushes')} being sent at this moment`;
    lines.push(`Called back ${out}. See the result: pushctl event show ${id}`);
  }
  return lines.join('\n');
}
