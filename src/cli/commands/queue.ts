import { isRefusal, type StoreClient } from '../../store/calls.ts';
import type { Command } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { count } from '../output/table.ts';
import { cancel } from './event/cancel.ts';

const DETAILS = `
For after a restore of a PostgreSQL database to an earlier time, before the
first server starts again: what waited then has mostly gone out since, and would
be sent a second time. Each event with pushes that wait is taken back, as event
cancel does, open alerts expire, and what webhooks were to hear is forgotten. So
is an event that was to be sent by now; those whose time is to come (event list
--scheduled) stay, as none has gone out.
Events that are posted meanwhile may be among them.
`;

export function addQueue(program: Command, context: CommandContext): void {
  const queue = program.command('queue').description('what waits to be sent').examples('pushctl queue withdraw');

  queue
    .command('withdraw')
    .description('take back every event of which something waits, say after a restore to an earlier time')
    .option('--yes', 'do not ask')
    .details(DETAILS)
    .examples('pushctl queue withdraw --yes')
    .action(async ({ yes = false }: { yes?: boolean }) => {
      if (!yes) await confirm(context, 'this takes back all that waits to be sent', 'withdraw');
      const withdrawn = await context.withStore(withdraw);
      context.print(withdrawn, () => reportOf(withdrawn));
    });
}

/** `pending`: pushes of these events that a server has claimed right now, or dead letters. */
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
      // The event was deleted meanwhile, with its queued pushes.
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
  if (events === 0) return `Nothing waits to be sent.${alerts}`;
  const left = pending === 0 ? '' : ` ${count(pending, 'push', 'pushes')} more may be on the way: pushctl status`;
  const due =
    scheduled === 0 ? '' : ` ${count(scheduled, 'event')} that had a later time had become due, and will not be sent.`;
  return `Withdrew ${count(withdrawn, 'push', 'pushes')} of ${count(events, 'event')}.${due}${left}${alerts}`;
}
