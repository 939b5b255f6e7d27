import { bestOf, type PushResult } from '../../../contract/push-results.ts';
import type { Moment } from '../../../process/clock.ts';
import { type DeliveryState, LEVELS, type Platform, type Route } from '../../../push.ts';
import { toTimestampOrNull } from '../../../values/timestamp.ts';
import type { DeviceResult, LivePauses } from '../../calls.ts';
import type { StoreSettings } from '../../settings.ts';
import { ID_LIST, idList, MOST_IDS, type Sql } from '../../sql.ts';
import { shownOnCall } from '../on-call/event-on-call.ts';
import { type EventFacts, eventFacts, type InTheWay, recordedResult } from './recorded-results.ts';

/** Reads a person's devices by registration; of too many, the newest. */
const DEVICES = `
  SELECT id, public_id AS "publicId", name, platform, route, status, inactive_reason AS "inactiveReason", inactive_at AS "inactiveAtMs",
    generation, user_id AS "userId"
  FROM device WHERE id IN (SELECT id FROM device WHERE user_id = :userId ORDER BY id DESC LIMIT ${MOST_IDS}) ORDER BY id`;

const RECORDED = `
  SELECT device_id AS "deviceId", state, attempts, reason, at AS "atMs", due_at AS "dueAtMs", lane, route
  FROM delivery WHERE event_id = :eventId AND device_id IN ${ID_LIST}`;

const SUBSCRIBED = `
  SELECT device_id AS "deviceId", number, active, generation, min_level AS "minLevel", muted_until AS "mutedUntilMs"
  FROM subscription WHERE channel_id = :channelId AND device_id IN ${ID_LIST}`;

const JOINED_AT = 'SELECT created_at FROM member WHERE workspace_id = :workspaceId AND user_id = :userId';

export type ResultSettings = Pick<StoreSettings, 'routes' | 'deliveriesRetentionMs'>;

interface DeviceRow {
  readonly id: number;
  readonly publicId: string;
  readonly name: string;
  readonly platform: Platform;
  readonly route: Route;
  readonly status: 'active' | 'inactive';
  readonly inactiveReason: string | null;
  readonly inactiveAtMs: number | null;
  readonly generation: number;
  readonly userId: number;
}
interface RecordedRow {
  readonly deviceId: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly reason: string | null;
  readonly atMs: number;
  readonly dueAtMs: number | null;
  readonly lane: string;
  readonly route: Route;
}
interface SubscribedRow {
  readonly deviceId: number;
  readonly number: number;
  readonly active: 0 | 1;
  readonly generation: number;
  readonly minLevel: number;
  readonly mutedUntilMs: number;
}
type Found = Pick<DeviceResult, 'result'> & {
  readonly atMs?: number | null;
  readonly untilMs?: number | null;
  readonly reason?: string | null;
  readonly minLevel?: DeviceResult['min_level'];
};

/** Returns how each push to a member's devices went, or why none. */
export function pushResults(sql: Sql, settings: ResultSettings) {
  const devicesOf = sql.all<{ userId: number }, DeviceRow>(DEVICES);
  const recordedOf = sql.all<object, RecordedRow>(RECORDED);
  const subscribedOf = sql.all<object, SubscribedRow>(SUBSCRIBED);
  const joinedAt = sql.value<{ workspaceId: number; userId: number }, number>(JOINED_AT);
  const facts = eventFacts(sql);

  async function onDevices(
    event: EventFacts,
    devices: readonly DeviceRow[],
    joinedAtMs: number,
    pauses: LivePauses,
    now: Moment,
  ): Promise<readonly DeviceResult[]> {
    const ids = idList(devices.map(({ id }) => id));
    const recorded = byDevice(await recordedOf({ eventId: event.id, ...ids }));
    const subscribed = byDevice(
      event.channelId === null ? [] : await subscribedOf({ channelId: event.channelId, ...ids }),
    );
    const inTheWay = await facts.inTheWay(event, pauses);
    return devices.map((device) => {
      const row = recorded.get(device.id);
      const subscription = subscribed.get(device.id);
      const found =
        row === undefined
          ? unrecorded({ event, device, subscription, joinedAtMs, inTheWay, settings, now })
          : fromRow(row, { event, device, subscription, inTheWay, now });
      return shown(device, found);
    });
  }

  return {
    /** Returns them in the events' order. */
    async ofMember(
      eventIds: readonly number[],
      { id: userId }: { readonly id: number },
      workspaceId: number,
      pauses: LivePauses,
      now: Moment,
    ): Promise<readonly { readonly result: PushResult; readonly devices: readonly DeviceResult[] }[]> {
      const devices = await devicesOf({ userId });
      const joinedAtMs = (await joinedAt({ workspaceId, userId })) ?? 0;
      const answers = [];
      for (const eventId of eventIds) {
        const event = await facts.of(eventId);
        const results = event === undefined ? [] : await onDevices(event, devices, joinedAtMs, pauses, now);
        answers.push({ result: bestOf(results.map(({ result }) => result)), devices: results });
      }
      return answers;
    },
  };
}

interface Known {
  readonly event: EventFacts;
  readonly device: DeviceRow;
  readonly subscription: SubscribedRow | undefined;
  readonly inTheWay: InTheWay;
  readonly now: Moment;
}

/** Reads a delivery. The subscription adds current mutes. */
function fromRow(row: RecordedRow, { event, device, subscription, inTheWay, now }: Known): Found {
  const result = recordedResult(row, event, inTheWay, device.userId);
  const { atMs, reason } = row;
  switch (result) {
    case 'muted':
      return { result, atMs, ...muteOf(subscription, atMs) };
    case 'inactive':
      return { result, atMs: device.inactiveAtMs ?? atMs, reason };
    case 'waiting': {
      const leftMs = (row.dueAtMs ?? now.steadyMs) - now.steadyMs;
      return { result, atMs, untilMs: leftMs > 0 ? now.wallMs + leftMs : null, reason };
    }
    case 'not_on_call':
      return { result, atMs, reason: shownOnCall(event)?.name ?? null };
    case 'route_paused':
      return { result, atMs, reason: inTheWay.paused.get(row.route) ?? reason };
    case 'refused':
    case 'held':
    case 'workspace_suspended':
      return { result, atMs, reason };
    default:
      return { result, atMs };
  }
}

interface Unrecorded extends Known {
  readonly joinedAtMs: number;
  readonly settings: ResultSettings;
}

/** Finds the reason without a delivery: in today's subscription and the queue. */
function unrecorded({ event, device, subscription, joinedAtMs, inTheWay, settings, now }: Unrecorded): Found {
  if (event.channelId === null) return { result: 'not_for_it' };
  if (event.kind === 'restored') return { result: 'restored' };
  if (joinedAtMs > event.receivedAtMs && event.kind !== 'scheduled')
    return { result: 'joined_later', atMs: joinedAtMs };
  if (subscription === undefined) return { result: 'not_subscribed' };
  if (device.status === 'inactive') {
    return { result: 'inactive', atMs: device.inactiveAtMs, reason: device.inactiveReason };
  }
  if (event.cancelledAtMs !== null) return { result: 'cancelled', atMs: event.cancelledAtMs };
  if (event.kind === 'scheduled') return { result: 'waiting', untilMs: event.sendAtMs };
  // A returned device gets only events after its subscriptions' renewal.
  const isRenewed = subscription.active === 1 && subscription.generation === device.generation;
  if (!isRenewed || subscription.number > (event.lastSubscription ?? subscription.number)) {
    return { result: 'subscribed_later' };
  }
  if (!settings.routes.includes(device.route)) return { result: 'no_provider' };
  const queued = inTheWay.queued.get(device.route);
  if (queued !== undefined) return { result: queued.result, reason: queued.reason };
  if (event.kind !== null && event.expiredUnrecorded === 0) return { result: 'not_for_it' };
  if (event.receivedAtMs < now.wallMs - settings.deliveriesRetentionMs) return { result: 'unknown' };
  return { result: event.expired > 0 ? 'expired' : 'unknown' };
}

function muteOf(subscription: SubscribedRow | undefined, atMs: number): Pick<Found, 'untilMs' | 'minLevel'> {
  if (subscription === undefined) return {};
  const { mutedUntilMs, minLevel } = subscription;
  const level = LEVELS[minLevel];
  return {
    untilMs: mutedUntilMs > atMs ? mutedUntilMs : null,
    minLevel: level === undefined || level === 'info' ? null : level,
  };
}

function shown(device: DeviceRow, { result, atMs, untilMs, reason, minLevel }: Found): DeviceResult {
  return {
    device_id: device.publicId,
    device: device.name,
    platform: device.platform,
    route: device.route,
    result,
    at: toTimestampOrNull(atMs ?? null),
    until: toTimestampOrNull(untilMs ?? null),
    reason: reason ?? null,
    min_level: minLevel ?? null,
  };
}

function byDevice<Row extends { readonly deviceId: number }>(rows: readonly Row[]): ReadonlyMap<number, Row> {
  return new Map(rows.map((row) => [row.deviceId, row]));
}
