import { Option } from 'commander';
import { onCallText, whyQuiet } from '../../../contract/loudness.ts';
import { isServed, pauseOf, whyPaused } from '../../../health/findings.ts';
import { LEVELS, type Level, type Route } from '../../../push.ts';
import type {
  AnswerOf,
  DeliveryCounts,
  DeliveryLine,
  PagePlace,
  RoutePause,
  RouteState,
} from '../../../store/calls.ts';
import { duration, given, positiveInteger } from '../../arguments.ts';
import { type Command, listingOf, type Noun } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';
import { ALL, type Listing, pagesOf, printPages } from '../../output/listing.ts';
import { count, fields, when } from '../../output/table.ts';
import { showMember, untriedText } from './member-results.ts';
import { addEventCancel, addEventResend } from './queued.ts';

type Shown = Exclude<AnswerOf<'showEvent'>, { refused: string }>;
type Listed = Exclude<AnswerOf<'listEvents'>, { refused: string }>['events'];

const TEXTS: Noun<Listed[number]>['columns'] = {
  CHANNEL: ({ channel }) => channel,
  LEVEL: ({ level }) => level,
  TITLE: ({ title }) => title,
};
const EVENT: Noun<Listed[number]> = {
  name: 'event',
  plural: 'events',
  columns: {
    EVENT: ({ public_id }) => public_id,
    RECEIVED: ({ received_at }) => when(received_at),
    ...TEXTS,
    DEVICES: ({ deliveries }) => counts(deliveries),
  },
  empty: 'No events yet. Post one: pushctl send <channel> <title>',
};
const SCHEDULED: Noun<Listed[number]> = {
  ...EVENT,
  columns: { EVENT: ({ public_id }) => public_id, 'SEND AT': ({ send_at }) => when(send_at), ...TEXTS },
  empty: 'No such events.',
};
const NOTHING_TRIED = 'No push was tried.';
const DELIVERIES: Listing<DeliveryLine> = {
  name: 'deliveries',
  headings: ['DEVICE', 'PLATFORM', 'AT', 'STATE', 'REASON', 'NAME', 'MEMBER'],
  rows: timeline,
  empty: NOTHING_TRIED,
};

export function addEvent(program: Command, context: CommandContext): void {
  const event = program
    .command('event')
    .description('posted events and their deliveries')
    .examples('pushctl event list acme');

  event
    .command('list <workspace>')
    .description('list the events of a workspace, newest first')
    .option('--limit <number>', 'how many events to list', positiveInteger, 20)
    .option('--before <public_id>', 'continue with older events: `next` of the previous page')
    .addOption(new Option('--after <public_id>', 'only events after this one, oldest first').conflicts('before'))
    .option('--channel <slug>', 'only events of this channel')
    .addOption(new Option('--level <level>', 'only events of this level').choices(LEVELS))
    .option('--type <type>', 'only events of exactly this type')
    .option('--since <duration>', 'only events younger than this, such as 24h', duration)
    .option('--until <duration>', 'only events at least this old, such as 2h', duration)
    .option('--search <words>', 'only events with all these words in title and description')
    .addOption(
      new Option('--scheduled', 'list scheduled events (send --at) instead, newest first').conflicts([
        'after',
        'since',
        'until',
        'search',
      ]),
    )
    .examples(
      'pushctl event list acme --limit 50',
      'pushctl event list acme --level error --since 24h --search "disk full"',
      'pushctl event list acme --scheduled',
      'pushctl event list acme --after evt_01k9z3v5m8q2w4e6r8t0y2a4c6 --type deploy.finished --json',
    )
    .action((workspace: string, options: ListOptions) => list(context, workspace, options));

  event
    .command('show <public_id>')
    .description('show an event, and the result of its push to each device')
    .option('--limit <number>', 'how many devices to show (default: all)', positiveInteger)
    .option('--email <email>', 'explain why each device of this member got the event or not')
    .examples(
      'pushctl event show evt_01k9z3v5m8q2w4e6r8t0y2a4c6',
      'pushctl event show evt_01k9z3v5m8q2w4e6r8t0y2a4c6 --email ada@example.com',
    )
    .action((publicId: string, { limit, email }: { limit?: number; email?: string }) =>
      email === undefined ? show(context, publicId, limit) : showMember(context, publicId, { email, limit }),
    );

  addEventResend(event, context);
  addEventCancel(event, context);
}

interface ListOptions {
  readonly limit: number;
  readonly before?: string;
  readonly after?: string;
  readonly type?: string;
  readonly until?: number;
  readonly channel?: string;
  readonly level?: Level;
  readonly since?: number;
  readonly search?: string;
  readonly scheduled?: boolean;
}

async function list(
  context: CommandContext,
  workspace: string,
  { limit: most, before, after, since, until, type, search, ...named }: ListOptions,
): Promise<void> {
  let place: PagePlace = { next: null };
  const nowMs = Date.now();
  const filter = given({
    ...named,
    eventType: type,
    sinceMs: since === undefined ? since : nowMs - since,
    untilMs: until === undefined ? until : nowMs - until,
    q: search,
  });
  const cursor = after === undefined ? 'before' : 'after';
  const isWhole = Object.keys(filter).length === 0 && after === undefined;
  const empty = () => (isWhole ? EVENT.empty : 'No such events.');
  const tail = () => {
    const { next, up_to } = place;
    const text = next === null ? '' : `There is more: --${cursor} ${next}\n`;
    return { document: given({ next, up_to }), text };
  };
  await context.withReadableStore((store) => {
    const pages = pagesOf('events', most, async (limit, from = after ?? before) => {
      const asked = { workspace, limit, ...filter, ...given({ [cursor]: from }) };
      const page = unwrap(await store.listEvents(asked));
      place = page;
      return page;
    });
    return printPages(context, listingOf(named.scheduled ? SCHEDULED : EVENT), pages, { tail, empty });
  });
}

async function show(context: CommandContext, publicId: string, most = ALL): Promise<void> {
  let event: Shown['event'];
  const isShared = (await context.config()).store !== null;
  await context.withStore(async (store) => {
    const routes = await store.listRoutes({});
    const waits = () => waitingOn(event.waiting_routes, routes);
    const head = () => {
      const { waiting_routes: _, ...shown } = event;
      return { document: { event: { ...shown, waits: waits() } }, text: `${formatEvent(context, event, waits())}\n\n` };
    };
    const empty = () => nothingTried(waits(), isShared || isServed(routes));
    const pages = pagesOf('deliveries', most, async (limit, after) => {
      const page = unwrap(await store.showEvent(given({ publicId, limit, after })));
      event = page.event;
      return page;
    });
    return printPages(context, DELIVERIES, pages, { head, empty });
  });
}

const STATES = {
  scheduled: 'waits for its time',
  restored: 'ended before its time, by a restore from a backup',
} as const;

interface Wait {
  readonly route: Route;
  readonly pause: RoutePause | null;
}

/** Returns the routes on which its pushes wait, and why they are paused. */
function waitingOn(waiting: readonly string[], routes: readonly RouteState[]): Wait[] {
  const states = routes.filter(({ route }) => waiting.includes(route));
  return states.map((state) => ({ route: state.route, pause: pauseOf(state) }));
}

function nothingTried(waits: readonly Wait[], isServed: boolean): string {
  if (waits.length > 0 && !isServed) return 'No push was tried yet: the server does not run.';
  const paused = waits.flatMap(({ route, pause }) => (pause ? `${route} is paused: ${whyPaused(pause)}` : []));
  if (paused.length === 0) return waits.length === 0 ? NOTHING_TRIED : 'No push was tried yet.';
  return `No push was tried yet: ${paused.join('; ')}. See: pushctl route list`;
}

function formatEvent(context: CommandContext, event: Shown['event'], waits: readonly Wait[]): string {
  return fields(context, {
    event: event.public_id,
    happened: when(event.occurred_at),
    received: when(event.received_at),
    'to be sent': when(event.send_at),
    state: event.state === 'scheduled' || event.state === 'restored' ? STATES[event.state] : null,
    channel: event.channel === null ? `${event.workspace} (test push)` : `${event.workspace}/${event.channel}`,
    title: event.title,
    description: event.description,
    level: event.level,
    urgency: event.delivery_urgency,
    quiet: event.quiet && whyQuiet(event.quiet, when),
    'on call': event.on_call && onCallText(event.on_call),
    type: event.event_type,
    'collapse key': event.collapse_key,
    'expires in': event.expires_in === null ? null : `${event.expires_in} s`,
    devices: `${event.target_device_count} targeted; ${counts(event.deliveries)}`,
    'never tried': untriedText(event.never_tried) || null,
    paused:
      waits
        .flatMap(({ route, pause }) => (pause ? `${route} since ${when(pause.since)}: ${whyPaused(pause)}` : []))
        .join('; ') || null,
    cancelled: when(event.cancelled_at),
    alert: event.alert && `${event.alert.state}: pushctl alert show ${event.alert.id}`,
    resent: event.resent && `${when(event.resent.at)}: ${count(event.resent.pushes, 'push', 'pushes')}`,
    'held by an error': event.set_aside.map(({ route, reason }) => `${route}: ${reason}`).join('; ') || null,
  });
}

/** Returns a device's attempts and reports, oldest first. Only the first line names it. */
function timeline(delivery: DeliveryLine): (string | number | null)[][] {
  const { state, attempts, reason, at, kept_s, shown_at, opened_at, ...device } = delivery;
  const tries = attempts.length > 0 ? attempts : [{ at, state, reason }];
  const reports = Object.entries({ shown: shown_at, opened: opened_at }).flatMap(([word, at]) =>
    at === null ? [] : [{ at, state: word, reason: null }],
  );
  return [...tries, ...reports].map((attempt, index) => {
    const once = (cell: string | null) => (index === 0 ? cell : ' ');
    return [
      once(device.device_id ?? 'removed'),
      once(device.platform),
      when(attempt.at),
      attempt.state,
      attempt.reason ?? (kept_s === null || index >= tries.length ? null : `kept for ${kept_s} s`),
      once(device.device),
      once(device.member),
    ];
  });
}

/** Returns e.g. `2 accepted, 1 pending, 1 shown, 0 opened`, with zeros only for reports. */
function counts({ first_accepted_at, last_accepted_at, shown, opened, ...states }: DeliveryCounts): string {
  const present = Object.entries(states).filter(([, count]) => count > 0);
  const reported = shown === null || present.length === 0 ? [] : [`${shown} shown`, `${opened} opened`];
  return [...present.map(([state, count]) => `${count} ${state}`), ...reported].join(', ') || 'none';
}
