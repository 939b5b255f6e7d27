import type { Moment } from '../../../process/clock.ts';
import type { Route } from '../../../push.ts';
import { nextMonthMs } from '../../../values/timestamp.ts';
import type { AcceptAnswer, AcceptArgs, CheckAnswer, LostRight } from '../../calls.ts';
import { KEPT_FIELDS } from '../../event-columns.ts';
import { FIRST_EVENT, type FirstEvent, isSameRequest, scopedKey } from '../../handlers/events/accepting.ts';
import { buildEventRecord, eventRecord } from '../../handlers/events/events.ts';
import { lifeMs, type StoreSettings } from '../../settings.ts';
import type { Connection } from '../connections.ts';
import type { LeasedRow } from '../queue/leased-work.ts';
import { storable } from '../sql.ts';
import type { AssumedSounds, DecidedSounds } from './assumed-sounds.ts';
import { type Countable, type CountedKey, requestsLeft, usesOf, usesValues } from './counting.ts';

export interface Asked extends Countable {
  readonly isCheck: boolean;
  readonly args: Omit<AcceptArgs, 'uuid'> & { readonly uuid?: string };
}
/** `again` and `busy`: retry. `busy`: another node counts the workspace's allowance. */
export type Judgement =
  | AcceptAnswer
  | CheckAnswer
  | { readonly kind: 'rights_lost'; readonly lost: LostRight }
  | { readonly kind: 'again' }
  | { readonly kind: 'busy' };

export interface AcceptingDeps {
  readonly settings: StoreSettings;
  /** The id under which the events are counted. */
  readonly node: number;
  /** The node that holds the links of these events, and owns small ones. */
  readonly home: number;
  /** The most targets of a fan-out that `home` owns from now on; 0: owns none. */
  readonly ownUpTo?: number;
  /** Called with the fan-outs that `home` owns now. `targets`: all of the accepted events. */
  readonly onOwned?: (owned: readonly LeasedRow[], targets: number) => void;
  /** Workspaces with an allowance, updated by answers. */
  readonly limited: Set<number>;
  /** Whether to wait while others count an allowance. */
  readonly canWait: boolean;
  readonly sounds: AssumedSounds;
  /** Replaces the database's time. */
  readonly now?: Moment | undefined;
}

/** A row of `accept_events`. */
interface Judged {
  /** Place in the group, from 1. */
  readonly place: number;
  readonly verdict: Exclude<Judgement['kind'], 'rights_lost'> | LostRight | 'scheduled' | 'other_sound';
  /** The event's id, or the earlier one's with its idempotency key. */
  readonly event_id: number | null;
  readonly targeted: number;
  /** Separated by spaces; null: none. */
  readonly routes: string | null;
  readonly at: number;
  readonly is_limited: boolean;
  readonly leaves_alert: boolean | null;
  /**
   * With `other_sound`: the channel's settings. For an accepted event whose table was passed: why it makes no sound.
   */
  readonly sound: string | null;
  readonly owned: readonly LeasedRow[] | null;
}

/** A sender's longest wait. Retries with an idempotency key count once. */
const LONGEST_MS = 10_000;
/** Columns without the two passed last: nodes of the previous version call without them. */
const FIELDS = KEPT_FIELDS.filter((field) => field !== 'sendAtMs' && field !== 'oneText');
/** The places of `groupValues`, in order. */
const GROUP = Array.from({ length: 28 + FIELDS.length }, (_, nth) => nth + 1);
const IDEMPOTENCY_KEYS = 15;
/** Accepts without counting requests: no key is over its limit. */
const ACCEPT = `SELECT * FROM accept_events(${GROUP.map((nth) =>
  nth === IDEMPOTENCY_KEYS ? `NULL, $${nth}` : `$${nth}`,
).join(', ')})`;
const POST = `CALL post_events(NULL, NULL, $1, $2, $3, $4, $5, $6, ${GROUP.map((nth) => `$${nth + 6}`).join(', ')})`;

/** Accepts in the current transaction, without counting under keys. */
export async function acceptTogether(
  { ask, sql }: Connection,
  asked: readonly Asked[],
  deps: AcceptingDeps,
): Promise<Judgement[]> {
  const events = asked.map(storableOf);
  const group = groupOf(events, deps);
  const { rows } = await ask({ text: ACCEPT, values: group.values, longestMs: LONGEST_MS });
  return judgementsOf(sql, group, rows as readonly Judged[], deps);
}

/**
 * Counts, then accepts or checks, in one round trip and two transactions. Requests that were counted before are not
 * counted again. If the database takes longer than `withinMs`, it throws, and nothing is accepted.
 */
export async function postTogether(
  { ask, sql }: Connection,
  asked: readonly Asked[],
  { withinMs, ...deps }: AcceptingDeps & { readonly withinMs: number },
): Promise<(Judgement & Pick<Asked, 'requests'>)[]> {
  const events = asked.map(storableOf);
  const uses = usesOf(events);
  const group = groupOf(events, deps);
  const { rows } = await ask({
    text: POST,
    values: [withinMs, ...usesValues(uses), ...group.values],
    longestMs: LONGEST_MS,
  });
  const [{ counted, judged }] = rows as readonly [{ counted: readonly CountedKey[] | null; judged: readonly Judged[] }];
  const requests = requestsLeft(events, uses, counted ?? []);
  const judgements = await judgementsOf(sql, group, judged, deps);
  return judgements.map((judgement, place) => {
    const requestsLeft = requests[place];
    return requestsLeft === undefined ? judgement : { ...judgement, requests: requestsLeft };
  });
}

interface Group {
  readonly events: readonly Asked[];
  readonly values: readonly unknown[];
  readonly sounds: DecidedSounds;
}

function groupOf(
  events: readonly Asked[],
  { settings, node, home, ownUpTo = 0, limited, canWait, sounds: assumed, now }: AcceptingDeps,
): Group {
  const { senders, placeOf } = sendersOf(events);
  const sounds = assumed.decide(events, senders, now?.wallMs);
  const known = [...new Set(senders.map(({ args }) => args.workspaceId))].filter((id) => limited.has(id));
  const values = [
    ...[node, home, now?.wallMs ?? null, now?.steadyMs ?? null, settings.routes, known.length > 0 ? known : null],
    canWait,
    senders.map(({ key }) => key?.id ?? null),
    senders.map(({ key }) => key?.scope ?? null),
    senders.map(({ args }) => args.workspaceId),
    senders.map(({ args }) => args.boundKeyId),
    senders.map(({ args }) => args.channel),
    placeOf,
    events.map(({ isCheck }) => isCheck),
    column(events, ({ args }) => scopedKey(args)),
    events.map(({ args }) => args.uuid?.replaceAll('-', '') ?? null),
    column(events, ({ args }) => (args.hadLinks ? 1 : null)),
    column(events, ({ args }) => args.linksMark),
    events.map(({ args }) => lifeMs(args.expiresInS, settings.ttlMs)),
    ...FIELDS.map((field) => column(events, ({ args }) => args[field])),
    // The server's own events are grouped separately.
    !events.some(({ args }) => args.isOwn),
    column(events, ({ args }) => args.sendAtMs),
    events.some(({ args }) => args.released),
    senders.map(({ args }) => args.postedBy),
    column(events, ({ args }) => args.oneText),
    ...sounds.values,
    ownUpTo,
  ];
  return { events, values, sounds };
}

async function judgementsOf(
  sql: Connection['sql'],
  { events, sounds: decided }: Group,
  rows: readonly Judged[],
  { limited, sounds, onOwned }: AcceptingDeps,
): Promise<Judgement[]> {
  const accepted = rows.filter(({ verdict }) => verdict === 'accepted');
  onOwned?.(
    rows.flatMap(({ owned }) => owned ?? []),
    accepted.reduce((sum, { targeted }) => sum + targeted, 0),
  );
  const judgements: Judgement[] = events.map(() => ({ kind: 'again' }));
  for (const row of rows) {
    const event = events[row.place - 1] as Asked;
    const { args } = event;
    if (row.verdict !== 'accepted' || row.sound !== null) decided.giveBack(event);
    if (row.is_limited) limited.add(args.workspaceId);
    else limited.delete(args.workspaceId);
    if (row.verdict === 'other_sound') sounds.learn(args, row.sound, row.at);
    judgements[row.place - 1] =
      row.verdict === 'replayed' ? await replay(sql, row.event_id ?? 0, args) : judgementOf(row, args);
  }
  return judgements;
}

/** Returns one event per sender (key and channel), and the place of each event's sender, from 1. */
function sendersOf(asked: readonly Asked[]): {
  readonly senders: readonly Asked[];
  readonly placeOf: readonly number[];
} {
  const senders: Asked[] = [];
  const places = new Map<string, number>();
  const placeOf = asked.map((event) => {
    const { key, args } = event;
    const name = [key?.id, key?.scope, args.workspaceId, args.boundKeyId, args.postedBy, args.channel].join('\0');
    const place = places.get(name) ?? senders.push(event);
    places.set(name, place);
    return place;
  });
  return { senders, placeOf };
}

/** Returns a rare field of all events, or null if none has it. */
function column<V>(asked: readonly Asked[], fieldOf: (event: Asked) => V | null): readonly (V | null)[] | null {
  const values = asked.map(fieldOf);
  return values.every((value) => value === null) ? null : values;
}

/** Reads a replay's first event, singly: replays are rare. If it is gone, the key is free. */
async function replay(sql: Connection['sql'], id: number, args: Asked['args']): Promise<Judgement> {
  const first = await sql.get<{ id: number }, FirstEvent>(`${FIRST_EVENT} WHERE id = :id`)({ id });
  if (first === undefined) return { kind: 'again' };
  return { kind: 'replayed', event: eventRecord(first), isSame: isSameRequest(first, args) };
}

function judgementOf(
  { verdict, event_id, targeted, routes, at, leaves_alert }: Judged,
  args: Asked['args'],
): Judgement {
  switch (verdict) {
    case 'accepted':
    case 'scheduled': {
      const { uuid = '', level, eventType } = args;
      const event = buildEventRecord(uuid, { level, eventType, targeted, received_at: at });
      const accepted = { kind: 'accepted', event, eventId: event_id ?? 0 } as const;
      if (verdict === 'scheduled') return { ...accepted, routes: [], isScheduled: true };
      return {
        ...accepted,
        routes: (routes?.split(' ') ?? []) as Route[],
        ...(leaves_alert && { leavesAlert: leaves_alert }),
      };
    }
    case 'valid':
      return { kind: 'valid', targeted };
    case 'allowance_exhausted':
      return { kind: 'allowance_exhausted', resetsAtMs: nextMonthMs(at) };
    case 'rate_limited':
    case 'unknown_channel':
    case 'too_many_scheduled':
    case 'again':
    case 'busy':
      return { kind: verdict };
    case 'other_sound':
      return { kind: 'again' };
    case 'replayed':
      throw new Error('a replay is answered with its first event');
    default:
      return { kind: 'rights_lost', lost: verdict };
  }
}

/** Makes texts storable before they are compared with the first request's. */
function storableOf(asked: Asked): Asked {
  const { args } = asked;
  if (Object.values(args).every((value) => storable(value) === value)) return asked;
  const entries = Object.entries(args).map(([name, value]) => [name, storable(value)]);
  return { ...asked, args: Object.fromEntries(entries) as unknown as Asked['args'] };
}
