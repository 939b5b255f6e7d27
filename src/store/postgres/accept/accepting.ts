import type { Moment } from '../../../clock.ts';
import type { Route } from '../../../push.ts';
import { nextMonthMs } from '../../../timestamp.ts';
import type { AcceptAnswer, AcceptArgs, CheckAnswer, KeyActor, LostRight, RequestsLeft } from '../../calls.ts';
import { EVENT_COLUMNS, KEPT_FIELDS } from '../../event-columns.ts';
import { requestsOf } from '../../serving-calls.ts';
import { lifeMs, type StoreSettings } from '../../settings.ts';
import { buildEventRecord, eventRecord } from '../../verbs/events/events.ts';
import { FIRST_EVENT, type FirstEvent, isSameRequest } from '../../verbs/events/replays.ts';
import type { Connection } from '../connections.ts';
import { windowName } from '../shared-limits.ts';

/** An event to accept, or only to check. `key`: must still be good for it. */
export interface Asked {
  readonly isCheck: boolean;
  readonly key?: KeyActor;
  readonly args: Omit<AcceptArgs, 'uuid'> & { readonly uuid?: string };
}
/** `again`: to be asked once more, and has been counted. */
export type Judgement =
  | AcceptAnswer
  | CheckAnswer
  | { readonly kind: 'rights_lost'; readonly lost: LostRight }
  | { readonly kind: 'again' };

export interface AcceptingDeps {
  readonly settings: StoreSettings;
  /** Whoever accepts: the events are counted under its id. */
  readonly node: number;
  /** The node that holds the links of these events. */
  readonly home: number;
  /** Instead of the database's time. */
  readonly now?: Moment | undefined;
}

/** A row that `accept_events` answers. */
interface Judged {
  readonly place: number;
  readonly verdict: Exclude<Judgement['kind'], 'rights_lost'> | LostRight;
  /** Its own, or that of the event before it with the same idempotency key. */
  readonly event_id: number | null;
  readonly targeted: number;
  readonly routes: readonly Route[];
  readonly at: number;
  /** Of its key's requests in any minute; null: it was not counted. */
  readonly remaining: number | null;
  readonly reset_ms: number | null;
}

/** Whoever posts does not wait for longer; tried again with its idempotency key, an event is accepted once. */
const LONGEST_MS = 10_000;
const ACCEPT = 'SELECT * FROM accept_events($1, $2, $3, $4, $5, $6, $7, $8, $9)';

/** One way to the database for all of them, which is a transaction of its own where none is under way. */
export async function acceptTogether(
  { ask, sql }: Connection,
  asked: readonly Asked[],
  { settings, node, home, now }: AcceptingDeps,
): Promise<Judgement[]> {
  const storable = asked.map((one) => ({ ...one, args: storableOf(one.args) }));
  const { names, wanted, most, placeOf } = requestsIn(asked);
  const posted = JSON.stringify(
    storable.map((one, place) => ({
      place,
      use: placeOf(one),
      home: one.args.hadLinks ? home : null,
      ...rowOf(one, settings),
    })),
  );
  const times = [now?.wallMs ?? null, now?.steadyMs ?? null];
  const workspaceIds = [...new Set(asked.map(({ args }) => args.workspaceId))];
  const { rows } = await ask({
    text: ACCEPT,
    values: [posted, node, ...times, settings.routes, workspaceIds, names, wanted, most],
    longestMs: LONGEST_MS,
  });
  const judgements: Judgement[] = asked.map(() => ({ kind: 'again' }));
  for (const row of rows as readonly Judged[]) {
    const { args } = storable[row.place] as Asked;
    const judgement = row.verdict === 'replayed' ? await replay(sql, row.event_id ?? 0, args) : judgementOf(row, args);
    judgements[row.place] = { ...judgement, ...requestsLeft(row) };
  }
  return judgements;
}

/** The keys whose requests are counted, in the order of their names, as all nodes take them. */
function requestsIn(asked: readonly Asked[]) {
  const counted = new Map<string, { wanted: number; most: number }>();
  for (const { key, args } of asked) {
    if (key === undefined || args.perMinute === undefined) continue;
    const name = windowName(requestsOf(key.id));
    const { wanted, most } = counted.get(name) ?? { wanted: 0, most: args.perMinute };
    counted.set(name, { wanted: wanted + 1, most: Math.min(most, args.perMinute) });
  }
  const keys = [...counted].sort(([one], [other]) => (one < other ? -1 : 1));
  const places = new Map(keys.map(([name], index) => [name, index + 1]));
  return {
    names: keys.map(([name]) => name),
    wanted: keys.map(([, { wanted }]) => wanted),
    most: keys.map(([, { most }]) => most),
    placeOf: ({ key, args }: Asked) =>
      key === undefined || args.perMinute === undefined ? null : places.get(windowName(requestsOf(key.id))),
  };
}

function requestsLeft({ remaining, reset_ms }: Judged): { readonly requests?: RequestsLeft } {
  return remaining === null ? {} : { requests: { remaining, resetAfterMs: reset_ms ?? 0 } };
}

/** Replays are rare: each asks for the event that it is one of. Where that is gone, the key is free again. */
async function replay(sql: Connection['sql'], id: number, args: Asked['args']): Promise<Judgement> {
  const first = await sql.get<{ id: number }, FirstEvent>(`${FIRST_EVENT} WHERE id = :id`)({ id });
  if (first === undefined) return { kind: 'again' };
  return { kind: 'replayed', event: eventRecord(first), isSame: isSameRequest(first, args) };
}

function judgementOf({ verdict, event_id, targeted, routes, at }: Judged, args: Asked['args']): Judgement {
  switch (verdict) {
    case 'accepted': {
      const { uuid = '', level, eventType } = args;
      const event = buildEventRecord(uuid, { level, eventType, targeted, received_at: at });
      return { kind: 'accepted', event, eventId: event_id ?? 0, routes };
    }
    case 'valid':
      return { kind: 'valid', targeted };
    case 'allowance_exhausted':
      return { kind: 'allowance_exhausted', resetsAtMs: nextMonthMs(at) };
    case 'rate_limited':
    case 'unknown_channel':
    case 'idempotency_key_taken':
    case 'again':
      return { kind: verdict };
    case 'replayed':
      throw new Error('a replay is answered with its first event');
    default:
      return { kind: 'rights_lost', lost: verdict };
  }
}

function rowOf({ isCheck, key, args }: Asked, settings: StoreSettings): Readonly<Record<string, unknown>> {
  return {
    is_check: isCheck,
    key_id: key?.id ?? null,
    scope: key?.scope ?? null,
    workspace_id: args.workspaceId,
    bound_key_id: args.boundKeyId,
    channel: args.channel,
    idempotency_key: args.idempotencyKey,
    uuid: args.uuid ?? null,
    had_links: args.hadLinks ? 1 : 0,
    links_mark: args.linksMark,
    life_ms: lifeMs(args.expiresInS, settings.ttlMs),
    ...Object.fromEntries(KEPT_FIELDS.map((field) => [EVENT_COLUMNS[field], args[field]])),
  };
}

/**
 * PostgreSQL's texts hold every character but U+0000 and halves of surrogate pairs, which no device shows either: like
 * any decoder of damaged text, U+FFFD instead.
 */
function storableOf(args: Asked['args']): Asked['args'] {
  const entries = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'string' ? storable(value) : value,
  ]);
  return Object.fromEntries(entries) as unknown as Asked['args'];
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
