import type { Moment } from '../../../clock.ts';
import type { Route } from '../../../push.ts';
import { nextMonthMs } from '../../../timestamp.ts';
import type { AcceptAnswer, AcceptArgs, CheckAnswer, KeyActor, LostRight } from '../../calls.ts';
import { KEPT_FIELDS } from '../../event-columns.ts';
import { buildEventRecord, eventRecord } from '../../handlers/events/events.ts';
import { FIRST_EVENT, type FirstEvent, isSameRequest } from '../../handlers/events/replays.ts';
import { lifeMs, type StoreSettings } from '../../settings.ts';
import type { Connection } from '../connections.ts';
import { storable } from '../storable.ts';

/** An event to accept, or only to check. `key`: must still be good for it, and `isOver` where it has posted too much. */
export interface Asked {
  readonly isCheck: boolean;
  readonly isOver?: boolean;
  readonly key?: KeyActor;
  readonly args: Omit<AcceptArgs, 'uuid'> & { readonly uuid?: string };
}
/** To be asked once more: `busy`, as another node is just counting its workspace's allowance. */
export type Judgement =
  | AcceptAnswer
  | CheckAnswer
  | { readonly kind: 'rights_lost'; readonly lost: LostRight }
  | { readonly kind: 'again' }
  | { readonly kind: 'busy' };

export interface AcceptingDeps {
  readonly settings: StoreSettings;
  /** Under which id the events are counted. */
  readonly node: number;
  /** The node that holds the links of these events. */
  readonly home: number;
  /** Workspaces that are known to have an allowance; those that turn out to have one are added, others taken out. */
  readonly limited: Set<number>;
  /** Whether the group waits for others who are just counting an allowance. */
  readonly mayWait: boolean;
  /** Instead of the database's time. */
  readonly now?: Moment | undefined;
}

/** A row that `accept_events` answers. */
interface Judged {
  /** Of the event in its group, from 1 on. */
  readonly place: number;
  readonly verdict: Exclude<Judgement['kind'], 'rights_lost'> | LostRight | 'scheduled';
  /** Its own, or that of the event before it with the same idempotency key. */
  readonly event_id: number | null;
  readonly targeted: number;
  /** Separated by blanks; null: none. */
  readonly routes: string | null;
  readonly at: number;
  readonly is_limited: boolean;
}

/** A sender does not wait for longer; tried again with its idempotency key, an event is accepted once. */
const LONGEST_MS = 10_000;
/** What stands apart: nodes of a version before call the same function, and know nothing of it. */
const FIELDS = KEPT_FIELDS.filter((field) => field !== 'sendAtMs');
const PARAMETERS = 23 + FIELDS.length;
const IDEMPOTENCY_KEYS = 16;
const ACCEPT = `SELECT * FROM accept_events(${Array.from({ length: PARAMETERS }, (_, nth) =>
  nth + 1 === IDEMPOTENCY_KEYS ? `scoped_keys($10, $11, $12, $13, $${IDEMPOTENCY_KEYS})` : `$${nth + 1}`,
).join(', ')})`;

/** One way to the database for all of them, which is a transaction of its own where none is under way. */
export async function acceptTogether(
  { ask, sql }: Connection,
  asked: readonly Asked[],
  { settings, node, home, limited, mayWait, now }: AcceptingDeps,
): Promise<Judgement[]> {
  const storable = asked.map((one) => ({ ...one, args: storableOf(one.args) }));
  const { senders, placeOf } = sendersOf(storable);
  const known = [...new Set(storable.map(({ args }) => args.workspaceId))].filter((id) => limited.has(id));
  const { rows } = await ask({
    text: ACCEPT,
    values: [
      ...[node, home, now?.wallMs ?? null, now?.steadyMs ?? null, settings.routes, known.length > 0 ? known : null],
      mayWait,
      senders.map(({ key }) => key?.id ?? null),
      senders.map(({ key }) => key?.scope ?? null),
      senders.map(({ args }) => args.workspaceId),
      senders.map(({ args }) => args.boundKeyId),
      senders.map(({ args }) => args.channel),
      placeOf,
      storable.map(({ isCheck }) => isCheck),
      column(storable, ({ isOver }) => isOver || null),
      column(storable, ({ args }) => args.idempotencyKey),
      storable.map(({ args }) => args.uuid?.replaceAll('-', '') ?? null),
      column(storable, ({ args }) => (args.hadLinks ? 1 : null)),
      column(storable, ({ args }) => args.linksMark),
      storable.map(({ args }) => lifeMs(args.expiresInS, settings.ttlMs)),
      ...FIELDS.map((field) => column(storable, ({ args }) => args[field])),
      // Events of our own come alone.
      !storable.some(({ args }) => args.isOwn),
      column(storable, ({ args }) => args.sendAtMs),
      storable.some(({ args }) => args.released),
    ],
    longestMs: LONGEST_MS,
  });
  const judgements: Judgement[] = asked.map(() => ({ kind: 'again' }));
  for (const row of rows as readonly Judged[]) {
    const { args } = storable[row.place - 1] as Asked;
    if (row.is_limited) limited.add(args.workspaceId);
    else limited.delete(args.workspaceId);
    judgements[row.place - 1] =
      row.verdict === 'replayed' ? await replay(sql, row.event_id ?? 0, args) : judgementOf(row, args);
  }
  return judgements;
}

/** Most of a group come from a few keys, to a few channels: one event of each, and of every event which that is, from 1 on. */
function sendersOf(asked: readonly Asked[]): {
  readonly senders: readonly Asked[];
  readonly placeOf: readonly number[];
} {
  const senders: Asked[] = [];
  const places = new Map<string, number>();
  const placeOf = asked.map((one) => {
    const { key, args } = one;
    const name = [key?.id, key?.scope, args.workspaceId, args.boundKeyId, args.channel].join('\0');
    const place = places.get(name) ?? senders.push(one);
    places.set(name, place);
    return place;
  });
  return { senders, placeOf };
}

/** Of a field that hardly any event has: null where none of these does. */
function column<V>(asked: readonly Asked[], fieldOf: (one: Asked) => V | null): readonly (V | null)[] | null {
  const values = asked.map(fieldOf);
  return values.every((value) => value === null) ? null : values;
}

/** Replays are rare: each asks for the event that it is one of. Where that is gone, the key is free again. */
async function replay(sql: Connection['sql'], id: number, args: Asked['args']): Promise<Judgement> {
  const first = await sql.get<{ id: number }, FirstEvent>(`${FIRST_EVENT} WHERE id = :id`)({ id });
  if (first === undefined) return { kind: 'again' };
  return { kind: 'replayed', event: eventRecord(first), isSame: isSameRequest(first, args) };
}

function judgementOf({ verdict, event_id, targeted, routes, at }: Judged, args: Asked['args']): Judgement {
  switch (verdict) {
    case 'accepted':
    case 'scheduled': {
      const { uuid = '', level, eventType } = args;
      const event = buildEventRecord(uuid, { level, eventType, targeted, received_at: at });
      const accepted = { kind: 'accepted', event, eventId: event_id ?? 0 } as const;
      if (verdict === 'scheduled') return { ...accepted, routes: [], isScheduled: true };
      return { ...accepted, routes: (routes?.split(' ') ?? []) as Route[] };
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
    case 'replayed':
      throw new Error('a replay is answered with its first event');
    default:
      return { kind: 'rights_lost', lost: verdict };
  }
}

/** With which a repeated request is compared as well. */
function storableOf(args: Asked['args']): Asked['args'] {
  if (Object.values(args).every((value) => storable(value) === value)) return args;
  const entries = Object.entries(args).map(([name, value]) => [name, storable(value)]);
  return Object.fromEntries(entries) as unknown as Asked['args'];
}
