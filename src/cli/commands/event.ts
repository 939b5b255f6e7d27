import type { Command } from 'commander';
import type { AnswerOf, DeliveryCounts, DeliveryLine, StoreClient } from '../../store/calls.ts';
import { examples, positiveInteger } from '../arguments.ts';
import { allPages, PAGE } from '../pages.ts';
import { granted, type Session } from '../session.ts';
import { fields, table, when } from '../table.ts';

type Shown = Exclude<AnswerOf<'showEvent'>, { refused: string }>;
type Listed = Exclude<AnswerOf<'listEvents'>, { refused: string }>;

export function addEvent(program: Command, session: Session): void {
  const event = program
    .command('event')
    .description('what was posted, and what became of it')
    .addHelpText('after', examples('pushctl event list acme'));

  event
    .command('list <workspace>')
    .description('list the events of a workspace, newest first')
    .option('--limit <number>', 'how many', positiveInteger, 20)
    .option('--before <public_id>', 'only events older than this one')
    .addHelpText('after', examples('pushctl event list acme --limit 50'))
    .action(async (workspace: string, { limit, before }: { limit: number; before?: string }) => {
      const events = await session.withStore((store) => latest(store, workspace, limit, before));
      session.print({ events }, () => list(session, events));
    });

  event
    .command('show <public_id>')
    .description('show an event and, device by device, how its pushes went')
    .option('--limit <number>', 'how many devices (default: all)', positiveInteger)
    .addHelpText('after', examples('pushctl event show evt_01k9z3v5m8q2w4e6r8t0y2a4c6'))
    .action(async (publicId: string, { limit = Number.POSITIVE_INFINITY }: { limit?: number }) => {
      const shown = await session.withStore((store) => showAll(store, publicId, limit));
      session.print(shown, () => one(session, shown));
    });
}

function latest(store: StoreClient, workspace: string, most: number, before?: string): Promise<Listed> {
  return allPages(most, async (limit, from = before) => {
    const asked = { workspace, limit, ...(from !== undefined && { before: from }) };
    const items = granted(await store.listEvents(asked));
    return { items, next: items.length < limit ? null : (items.at(-1)?.public_id ?? null) };
  });
}

/** Page by page, so that no single call holds the store up. */
async function showAll(store: StoreClient, publicId: string, limit: number): Promise<Omit<Shown, 'next'>> {
  const deliveries: DeliveryLine[] = [];
  let after: string | null = null;
  for (;;) {
    const page: Shown = granted(
      await store.showEvent({
        publicId,
        limit: Math.min(PAGE, limit - deliveries.length),
        ...(after !== null && { after }),
      }),
    );
    deliveries.push(...page.deliveries);
    after = page.next;
    if (after === null || deliveries.length >= limit) return { event: page.event, deliveries };
  }
}

function list(session: Session, events: Listed): string {
  const rows = events.map((event) => [
    event.public_id,
    when(event.received_at),
    event.channel,
    event.level,
    event.title,
    counts(event.deliveries),
  ]);
  const empty = 'No events yet. Post one: pushctl send <channel> <title>';
  return table(session, ['EVENT', 'RECEIVED', 'CHANNEL', 'LEVEL', 'TITLE', 'DEVICES'], rows, empty);
}

function one(session: Session, { event, deliveries }: Omit<Shown, 'next'>): string {
  const head = fields(session, {
    event: event.public_id,
    received: when(event.received_at),
    channel: event.channel === null ? `${event.workspace} (test push)` : `${event.workspace}/${event.channel}`,
    title: event.title,
    description: event.description,
    level: event.level,
    urgency: event.delivery_urgency,
    type: event.event_type,
    devices: `${event.target_device_count} targeted; ${counts(event.deliveries)}`,
  });
  const rows = deliveries.flatMap((delivery) => timeline(delivery));
  const body = table(session, ['DEVICE', 'PLATFORM', 'AT', 'STATE', 'REASON'], rows, 'No push was tried yet.');
  return `${head}\n\n${body}`;
}

/** A device's tries, oldest first, its name on the first line only. */
function timeline({ device_id, platform, state, attempts, reason, at }: DeliveryLine): (string | number | null)[][] {
  const tries = attempts.length > 0 ? attempts : [{ at, state, reason }];
  return tries.map((attempt, index) => [
    index === 0 ? (device_id ?? 'removed') : ' ',
    index === 0 ? platform : ' ',
    when(attempt.at),
    attempt.state,
    attempt.reason,
  ]);
}

/** `2 accepted, 1 pending`, without the states that none is in. */
function counts({ first_accepted_at, last_accepted_at, ...states }: DeliveryCounts): string {
  const present = Object.entries(states).filter(([, count]) => count > 0);
  return present.map(([state, count]) => `${count} ${state}`).join(', ') || 'none';
}
