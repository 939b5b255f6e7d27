import { PUSH_RESULTS, type PushResult } from '../../../contract/push-results.ts';
import type { Moment } from '../../../process/clock.ts';
import type { DeliveryState, Route } from '../../../push.ts';
import type { LivePauses, NeverTried } from '../../calls.ts';
import type { StoreSettings } from '../../settings.ts';
import { ROUTES_IN_SQL, type Sql } from '../../sql.ts';
import { quietFor, RUNG_FIELDS, type RungEvent } from '../on-call/event-on-call.ts';
import { UNFINISHED } from './states.ts';

/** Deliveries examined for an event's counts. */
const MOST_COUNTED = 1_000;

/** Expired pushes without a delivery, of a reminder or notice: those were for all subscribers. */
const EXPIRED_UNRECORDED = `
  CASE WHEN event.kind IS NULL OR event.expired = 0 THEN 0 ELSE event.expired - (
    SELECT count(*) FROM (
      SELECT state FROM delivery WHERE event_id = CAST(:id AS BIGINT) AND (state IN ('withdrawn', 'expired') OR attempts = 0)
      ORDER BY device_id LIMIT ${MOST_COUNTED}
    ) AS looked_at WHERE state = 'expired') END`;

const FACTS = `
  SELECT event.id, event.channel_id AS "channelId", event.kind, event.received_at AS "receivedAtMs", event.send_at AS "sendAtMs",
    event.cancelled_at AS "cancelledAtMs", ${RUNG_FIELDS}, event.last_subscription AS "lastSubscription", event.targeted,
    event.expired, event.withdrawn, ${EXPIRED_UNRECORDED} AS "expiredUnrecorded", CASE WHEN ${UNFINISHED} THEN 1 ELSE 0 END AS "isUnfinished",
    workspace.status AS "workspaceStatus"
  FROM event JOIN workspace ON workspace.id = event.workspace_id WHERE event.id = CAST(:id AS BIGINT)`;

/** Counts devices still queued, by route. */
const QUEUED = `
  SELECT fan_out.route, fan_out.lane, fan_out.targeted - fan_out.recorded AS devices FROM fan_out
  WHERE fan_out.route IN (${ROUTES_IN_SQL}) AND fan_out.lane IN ('urgent', 'standard', 'dead_letter')
    AND (fan_out.workspace_id, fan_out.event_id) = (SELECT workspace_id, id FROM event WHERE id = :id)`;

const PAUSED = `SELECT route FROM route_pause WHERE route IN (${ROUTES_IN_SQL})`;

const SET_ASIDE = 'SELECT route, reason FROM dead_letter WHERE event_id = :id';

/** Names results of withdrawn pushes by reason. `gone`: all others. */
const WITHDRAWN: Readonly<Record<string, PushResult>> = {
  muted: 'muted',
  own_act: 'own_act',
  cancelled: 'cancelled',
  restored: 'restored',
};

/** Decides about pushes without a delivery. */
export interface EventFacts extends RungEvent {
  readonly id: number;
  readonly channelId: number | null;
  readonly kind: string | null;
  readonly receivedAtMs: number;
  readonly sendAtMs: number | null;
  readonly cancelledAtMs: number | null;
  readonly lastSubscription: number | null;
  readonly targeted: number;
  readonly expired: number;
  readonly withdrawn: number;
  readonly expiredUnrecorded: number;
  readonly isUnfinished: 0 | 1;
  readonly workspaceStatus: 'active' | 'suspended';
}

interface Queued {
  readonly result: PushResult;
  readonly reason: string | null;
  readonly devices: number;
}
/** Why an event's pushes wait, by route. `paused`: null: by an operator. */
export interface InTheWay {
  readonly paused: ReadonlyMap<string, string | null>;
  readonly queued: ReadonlyMap<string, Queued>;
}

const NOTHING: InTheWay = { paused: new Map(), queued: new Map() };

interface Recorded {
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly reason: string | null;
  readonly lane: string;
  readonly route: Route;
}

export function eventFacts(sql: Sql) {
  const of = sql.get<{ id: number }, EventFacts>(FACTS);
  const queuedOf = sql.all<{ id: number }, { route: Route; lane: string; devices: number }>(QUEUED);
  const pausedRoutes = sql.values<object, string>(PAUSED);
  const setAside = sql.all<{ id: number }, { route: Route; reason: string }>(SET_ASIDE);

  return {
    of: (id: number) => of({ id }),

    async inTheWay(event: EventFacts, pauses: LivePauses): Promise<InTheWay> {
      if (event.isUnfinished === 0) return NOTHING;
      const { id } = event;
      const stored = (await pausedRoutes({})).map((route) => [route, null] as const);
      const paused = new Map<string, string | null>([...Object.entries(pauses), ...stored]);
      const rows = await queuedOf({ id });
      const aside = new Map((await setAside({ id })).map(({ route, reason }) => [route, reason]));
      const queued = rows.map(({ route, devices }): [string, Queued] => {
        const reason = aside.get(route);
        if (reason !== undefined) return [route, { result: 'set_aside', reason, devices }];
        const result = waitOf(event, route, paused);
        return [route, { result, reason: result === 'route_paused' ? (paused.get(route) ?? null) : null, devices }];
      });
      return { paused, queued: new Map(queued) };
    },
  };
}

/** Returns a delivery's result. `userId`: the device's person. */
export function recordedResult(
  { state, attempts, reason, lane, route }: Recorded,
  event: EventFacts,
  { paused }: InTheWay,
  userId: number | null = null,
): PushResult {
  switch (state) {
    case 'accepted': {
      const quiet = quietFor(event, userId);
      if (quiet?.reason === 'not_on_call') return 'not_on_call';
      return quiet === null ? 'accepted' : 'quiet';
    }
    case 'failed':
      return 'refused';
    case 'unregistered':
      return attempts > 0 ? 'refused' : 'inactive';
    case 'expired':
      return 'expired';
    case 'withdrawn':
      return WITHDRAWN[reason ?? ''] ?? 'gone';
    case 'pending': {
      const wait = waitOf(event, route, paused);
      return wait === 'waiting' && lane === 'quarantine' ? 'held' : wait;
    }
  }
}

function waitOf({ workspaceStatus }: EventFacts, route: Route, paused: InTheWay['paused']): PushResult {
  if (workspaceStatus === 'suspended') return 'workspace_suspended';
  return paused.has(route) ? 'route_paused' : 'waiting';
}

/** Uses the words of `delivery_untried`, an index without sent deliveries. */
const UNTRIED = `
  SELECT state, reason, lane, route, tried AS attempts, count(*) AS devices FROM (
    SELECT state, reason, lane, route, CASE WHEN attempts > 0 THEN 1 ELSE 0 END AS tried FROM delivery
    WHERE event_id = CAST(:id AS BIGINT) AND (state IN ('withdrawn', 'expired') OR attempts = 0)
    ORDER BY device_id LIMIT ${MOST_COUNTED}
  ) AS looked_at
  GROUP BY state, reason, lane, route, tried`;

interface Row {
  readonly state: DeliveryState;
  readonly reason: string | null;
  readonly lane: string;
  readonly route: Route;
  /** 1: it was tried. */
  readonly attempts: number;
  readonly devices: number;
}

/** Counts, by reason, the devices that an event was never sent to. */
export function neverTried(sql: Sql, { deliveriesRetentionMs }: Pick<StoreSettings, 'deliveriesRetentionMs'>) {
  const untried = sql.all<{ id: number }, Row>(UNTRIED);
  const facts = eventFacts(sql);

  return async (id: number, pauses: LivePauses, { wallMs }: Moment): Promise<readonly NeverTried[]> => {
    const event = await facts.of(id);
    if (event === undefined) return [];
    const rows = await untried({ id });
    const inTheWay = await facts.inTheWay(event, pauses);
    const counts = new Map<PushResult, number>();
    const add = (result: PushResult, devices: number) => counts.set(result, (counts.get(result) ?? 0) + devices);
    for (const row of rows) if (row.attempts === 0) add(recordedResult(row, event, inTheWay), row.devices);
    for (const { result, devices } of inTheWay.queued.values()) add(result, devices);
    if (event.kind === 'scheduled') add('waiting', event.targeted);
    const isKept = event.receivedAtMs >= wallMs - deliveriesRetentionMs;
    const isCut = sum(rows, () => true) === MOST_COUNTED;
    if (isKept) for (const [result, devices] of unrecorded(event, rows)) add(isCut ? 'unknown' : result, devices);
    return (Object.keys(PUSH_RESULTS) as PushResult[]).flatMap((result) => {
      const devices = counts.get(result) ?? 0;
      return devices > 0 ? [{ result, devices }] : [];
    });
  };
}

/** Counts pushes that ended before their turn, so that only the event counts them. */
function unrecorded(event: EventFacts, rows: readonly Row[]): readonly (readonly [PushResult, number])[] {
  const expired = event.expired - sum(rows, ({ state }) => state === 'expired');
  const withdrawn = event.withdrawn - sum(rows, ({ state, reason }) => state === 'withdrawn' && reason !== 'own_act');
  return [
    ['expired', expired],
    [event.cancelledAtMs === null ? 'gone' : 'cancelled', withdrawn],
  ];
}

function sum(rows: readonly Row[], isCounted: (row: Row) => boolean): number {
  return rows.reduce((total, row) => total + (isCounted(row) ? row.devices : 0), 0);
}
