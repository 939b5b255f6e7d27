import { isRefusal, type StoreClient } from '../../store/calls.ts';
import type { Command } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { count } from '../output/table.ts';
import { confirm } from '../questions.ts';
import { cancel } from './event/queued.ts';

const DETAILS = `
Use this after you restore a PostgreSQL database to an earlier time, and before
the first server starts again. Most pushes that were queued then were sent since
and would be sent again.

Each event with queued pushes is cancelled, as by event cancel. Open alerts
expire, and pending webhook messages are deleted. Scheduled events that are due
by now are cancelled too. Later ones (event list --scheduled) stay, because they
were not sent yet. Events that are posted meanwhile may be cancelled as well.
`;

const RETRY_DETAILS = `
Each start of a server does the same, so an upgrade retries dead letters too. If
the error occurs again, the event is a dead letter again (pushctl doctor).
`;

export function addQueue(program: Command, context: CommandContext): void {
  const queue = program.command('queue').description('pushes that wait to be sent').examples('pushctl queue withdraw');

  queue
    .command('withdraw')
    .description('cancel every event with queued pushes, for example after a restore to an earlier time')
    .option('--yes', 'skip the confirmation')
    .details(DETAILS)
    .examples('pushctl queue withdraw --yes')
    .action(async ({ yes = false }: { yes?: boolean }) => {
      if (!yes) await confirm(context, 'this cancels every event with queued pushes', 'withdraw');
      const withdrawn = await context.withStore(withdraw);
      context.print(withdrawn, () => reportOf(withdrawn));
    });

  queue
    .command('retry')
    .description('try dead letters again: events that an error of pushctl holds')
    .details(RETRY_DETAILS)
    .examples('sudo pushctl queue retry')
    .action(async () => {
      const retried = await context.withStore(retryAll);
      context.print(retried, () => retriedReport(retried));
    });
}

async function retryAll(store: Pick<StoreClient, 'retryDeadLetters'>): Promise<{ events: number; places: number }> {
  const { more, ...some } = await store.retryDeadLetters({});
  if (!more) return some;
  const rest = await retryAll(store);
  return { events: some.events + rest.events, places: some.places + rest.places };
}

function retriedReport({ events, places }: { readonly events: number; readonly places: number }): string {
  if (events === 0) return 'There are no dead letters.';
  return `${count(events, 'dead letter')} will be tried again, on ${count(places, 'route')}. See the result: pushctl status`;
}

/** `pending`: pushes claimed by a server right now, or dead letters. */
interface Withdrawn {
  readonly events: number;
  readonly withdrawn: number;
  readonly pending: number;
  /** Scheduled events whose time had come. */
  readonly scheduled: number;
  /** Open alerts that the command has ended. */
  readonly expired: number;
}

const PAGE = 500;

async function withdraw(store: StoreClient): Promise<Withdrawn> {
  const expired = await expireAll(store);
  let [events, withdrawn, pending, scheduled, after] = [0, 0, 0, 0, 0];
  for (;;) {
    const page = await store.listWaiting({ after, limit: PAGE });
    for (const { public_id: publicId } of page) {
      const cancelled = await cancel(store, publicId);
      // The event was deleted meanwhile.
      if (isRefusal(cancelled)) continue;
      events += 1;
      withdrawn += cancelled.withdrawn;
      if (cancelled.wasScheduled) scheduled += 1;
      pending += cancelled.event.deliveries.pending;
    }
    const last = page.at(-1);
    if (last === undefined) return { events, withdrawn, pending, scheduled, expired };
    after = last.id;
  }
}

async function expireAll(store: StoreClient): Promise<number> {
  for (let all = 0; ; ) {
    const { expired, more } = await store.expireAlerts({});
    all += expired;
    if (!more) return all;
  }
}

function reportOf({ events, withdrawn, pending, scheduled, expired }: Withdrawn): string {
  const alerts = expired === 0 ? '' : ` ${count(expired, 'open alert')} expired.`;
  if (events === 0) return `No pushes are queued.${alerts}`;
  const left = pending === 0 ? '' : ` ${count(pending, 'push', 'pushes')} more may be on the way: pushctl status`;
  const due = scheduled === 0 ? '' : ` ${count(scheduled, 'scheduled event')} had become due and will not be sent.`;
  return `Withdrew ${count(withdrawn, 'push', 'pushes')} of ${count(events, 'event')}.${due}${left}${alerts}`;
}
