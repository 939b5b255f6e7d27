import { bytesOfUuid } from '../../contract/public-id.ts';
import type { Moment } from '../../process/clock.ts';
import { type EventRecord, laneOf, type PostedEvent, type Route } from '../../push.ts';
import { hourOf, monthOf, nextMonthMs } from '../../values/timestamp.ts';
import { MOST_HELD_BACK, TAKEN_BACK_MS } from '../calls/events.ts';
import type { AcceptArgs, FirstAcceptance, NotAccepted } from '../calls.ts';
import { EVENT_COLUMNS, KEPT_FIELDS, type KeptFields } from '../event-columns.ts';
import {
  FIRST_EVENT,
  type FirstEvent,
  isFirstThere,
  isSameRequest,
  scopedKey,
  TESTED_DEVICE,
  type TestedDevice,
  testEvent,
} from '../handlers/events/accepting.ts';
import { buildEventRecord, eventRecord } from '../handlers/events/events.ts';
import type { EngineDeps } from '../handlers/handler.ts';
import { sessionOf } from '../handlers/people/vouchers.ts';
import { SOUND, Sounds } from '../handlers/sounds.ts';
import { noDevice, routeOff, silentDevice } from '../refusals.ts';
import { lifeMs, type StoreSettings } from '../settings.ts';
import { alertUpdater, NO_ALERT } from './alerts.ts';
import { sqlOver } from './sql.ts';
import type { Db, SyncHandlers, TransactionHooks } from './transaction.ts';

type NewEvent = KeptFields & {
  readonly workspaceId: number;
  readonly channelId: number | null;
  readonly idempotencyKey: string | null;
  readonly hadLinks: 0 | 1;
  readonly linksMark: string | null;
  readonly postedBy: string | null;
  readonly targeted: number;
  /** The highest subscription at that time. */
  readonly last: number | null;
};
interface ChannelRow {
  readonly id: number;
  readonly status: 'active' | 'inactive';
  readonly insists: 0 | 1;
  readonly sound: string | null;
  /** The workspace's events a month; null: any number. */
  readonly allowance: number | null;
  /** The highest subscription. */
  readonly last: number | null;
}
/** An event's destination, with devices per route. */
interface Admitted {
  readonly channelId: number;
  readonly insists: 0 | 1;
  /** The channel's sound settings. */
  readonly sound: string | null;
  readonly last: number | null;
  /** Stored form. */
  readonly idempotencyKey: string | null;
  /** An event of a deleted channel has the key. */
  readonly isKeyTaken: boolean;
  readonly reached: readonly { readonly route: Route; readonly devices: number }[];
  readonly targeted: number;
}
const RINGS = { quiet: null, ring: null } as const;
type SqlValue = string | number | Uint8Array | null;

/**
 * Accepts events into the queue, equally fast for one device or 100,000. Statements per event have positional
 * parameters: names cost 4 of 28 µs.
 */
export function accept(
  db: Db,
  settings: StoreSettings,
  hooks: Pick<TransactionHooks, 'onRollback'>,
): SyncHandlers<'acceptEvent' | 'checkEvent'> & Pick<EngineDeps, 'testDevice'> {
  // Reads beside it what would cost 1 µs as a statement of its own.
  const channelOf = db.prepare<[number, string], ChannelRow>(`
    SELECT id, status, insist_repeat IS NOT NULL AS insists, ${SOUND} AS sound, (SELECT max(number) FROM subscription) AS last,
      (SELECT monthly_events FROM plan WHERE name = (SELECT plan FROM workspace WHERE id = channel.workspace_id)) AS allowance
    FROM channel WHERE workspace_id = (SELECT workspace.id FROM workspace WHERE workspace.id = ?) AND slug = ?
  `);
  const subscribers = db.prepare<[number], { route: Route; devices: number }>(
    'SELECT route, devices FROM audience WHERE channel_id = ? AND devices > 0',
  );
  // Without RETURNING: its answer is known, and costs more than two indexes.
  const insertEvent = db.prepare<SqlValue[]>(`
    INSERT INTO event (uuid, workspace_id, channel_id, idempotency_key, had_links, links_mark, posted_by, targeted, received_at,
      expires_at, last_subscription, ${Object.values(EVENT_COLUMNS).join(', ')})
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?${', ?'.repeat(KEPT_FIELDS.length)})
  `);
  const insertFanOut = db.prepare<SqlValue[]>(`
    INSERT INTO fan_out (route, lane, workspace_id, event_id, channel_id, last, targeted)
    VALUES (?, ?, ?, ?, ?, ?, ?)
  `);
  const testedDevice = sqlOver(db).get<{ id: string; userId: number | null; session: Buffer }, TestedDevice>(
    TESTED_DEVICE,
  );
  const insertDelivery = db.prepare<Record<string, string | number>>(`
    INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, at, due_at)
    VALUES (:eventId, :deviceId, :workspaceId, :route, 'urgent', 'pending', 0, :wallMs, :steadyMs)
  `);
  const firstEvent = db.prepare<[number, string], FirstEvent>(
    `${FIRST_EVENT} WHERE workspace_id = ? AND idempotency_key = ?`,
  );
  const schedule = db.prepare<[number]>(
    "UPDATE event SET kind = 'scheduled', announced = targeted, targeted = 0, last_subscription = NULL WHERE id = ?",
  );
  const keep = db.prepare<FirstAcceptance & { id: number }>(
    'UPDATE event SET idempotency_key = :idempotencyKey, posted_at = :postedAtMs, announced = :announced WHERE id = :id',
  );
  const freeKey = db.prepare<[number, string]>(
    'UPDATE event SET idempotency_key = NULL WHERE workspace_id = ? AND idempotency_key = ?',
  );
  const heldBack = db
    .prepare<[number, number, number], number>(`
      SELECT (SELECT count(*) FROM event WHERE workspace_id = ? AND kind = 'scheduled')
        + (SELECT count(*) FROM event WHERE workspace_id = ? AND kind = 'cancelled' AND cancelled_at > ?)
    `)
    .pluck();
  const usage = usageCounters(db);
  const updateAlert = alertUpdater(db, settings);
  const sounds = new Sounds();
  const markQuiet = db.prepare<[string, number]>('UPDATE event SET quiet = ? WHERE id = ?');
  const isBoundTo = db
    .prepare<[string, number], 1>('SELECT 1 FROM key_channel WHERE key_id = ? AND channel_id = ?')
    .pluck();

  /** `boundKeyId` null: any channel. */
  function canName(boundKeyId: string | null, channelId: number): boolean {
    return boundKeyId === null || isBoundTo.get(boundKeyId, channelId) === 1;
  }

  function insert(event: NewEvent, uuid: string, { wallMs, steadyMs }: Moment): { id: number; record: EventRecord } {
    const { level, eventType, targeted } = event;
    const bytes = bytesOfUuid(uuid);
    const { lastInsertRowid } = insertEvent.run(
      bytes,
      event.workspaceId,
      event.channelId,
      event.idempotencyKey,
      event.hadLinks,
      event.linksMark,
      event.postedBy,
      targeted,
      wallMs,
      steadyMs + lifeMs(event.expiresInS, settings.ttlMs),
      event.last,
      ...KEPT_FIELDS.map((field) => event[field]),
    );
    const record = buildEventRecord(uuid, { level, eventType, targeted, received_at: wallMs }, bytes);
    return { id: Number(lastInsertRowid), record };
  }

  /** Checks the contract from the idempotency key on, in its order. */
  function admit(asked: Omit<AcceptArgs, 'uuid'>, wallMs: number): Admitted | NotAccepted {
    const { workspaceId, boundKeyId, isOwn, released, sendAtMs } = asked;
    const channel = channelOf.get(workspaceId, asked.channel);
    const key = scopedKey(asked);
    const known = key === null ? undefined : firstEvent.get(workspaceId, key);
    if (known !== undefined && isFirstThere(known)) {
      return { kind: 'replayed', event: eventRecord(known), isSame: isSameRequest(known, asked) };
    }
    if (channel === undefined || !canName(boundKeyId, channel.id)) return { kind: 'unknown_channel' };
    const isActive = channel.status === 'active';
    if (!isActive && released === undefined) return { kind: 'unknown_channel' };
    if (released === undefined && isToCome(sendAtMs, wallMs)) {
      const held = heldBack.get(workspaceId, workspaceId, wallMs - TAKEN_BACK_MS) ?? 0;
      if (held >= MOST_HELD_BACK) return { kind: 'too_many_scheduled' };
    }
    const { allowance, last } = channel;
    if (!isOwn && allowance !== null && usage.inMonth(workspaceId, wallMs) >= allowance) {
      return { kind: 'allowance_exhausted', resetsAtMs: nextMonthMs(wallMs) };
    }
    const reached = subscribers.all(channel.id).filter(({ route }) => settings.routes.includes(route));
    return {
      channelId: channel.id,
      insists: isActive ? channel.insists : 0,
      sound: channel.sound,
      last,
      idempotencyKey: key,
      isKeyTaken: known !== undefined,
      reached,
      targeted: reached.reduce((sum, { devices }) => sum + devices, 0),
    };
  }

  return {
    acceptEvent(args, now) {
      const admitted = admit(args, now.wallMs);
      if ('kind' in admitted) return admitted;
      const { channelId, insists, sound, last, idempotencyKey, isKeyTaken, reached, targeted } = admitted;
      const { boundKeyId: _, channel: __, uuid, released, ...posted } = args;
      const { workspaceId, sendAtMs } = posted;
      if (idempotencyKey !== null && isKeyTaken) freeKey.run(workspaceId, idempotencyKey);
      const hadLinks = posted.hadLinks ? 1 : 0;
      const { id, record } = insert({ ...posted, channelId, idempotencyKey, hadLinks, targeted, last }, uuid, now);
      if (!args.isOwn) usage.countEvent({ workspaceId, channelId, wallMs: now.wallMs });
      if (released !== undefined) keep.run({ ...released, id });
      else if (isToCome(sendAtMs, now.wallMs)) {
        schedule.run(id);
        return { kind: 'accepted', event: record, eventId: id, routes: [], isScheduled: true };
      }
      const lane = laneOf(posted.urgency);
      for (const { route, devices } of reached) {
        insertFanOut.run(route, lane, workspaceId, id, channelId, last, devices);
      }
      const { leavesAlert = false, ...alert } =
        insists === 1 ? updateAlert(id, now, sounds.onCall(sound, now.wallMs)) : NO_ALERT;
      // Unsilenceable events need no decision.
      const { quiet, ring } =
        sound === null && alert.alert === null
          ? RINGS
          : sounds.decide({ ...posted, channel: channelId ?? 0 }, sound, alert, now.wallMs);
      if (quiet !== null) markQuiet.run(quiet, id);
      if (ring !== null) hooks.onRollback(() => sounds.giveBack(ring));
      const routes = reached.map(({ route }) => route);
      return { kind: 'accepted', event: record, eventId: id, routes, ...(leavesAlert && { leavesAlert }) };
    },

    checkEvent(args, { wallMs }) {
      const admitted = admit(args, wallMs);
      return 'kind' in admitted ? admitted : { kind: 'valid', targeted: admitted.targeted };
    },

    testDevice({ id, userId = null, uuid, notShowing }, now, actor) {
      const device = testedDevice({ id, userId, session: sessionOf(actor) });
      if (device === undefined) return noDevice(id);
      if (device.status === 'inactive') return silentDevice(id, device.inactive_reason);
      const { route } = device;
      if (!settings.routes.includes(route)) return routeOff(route);
      const workspaceId = device.workspace_id;
      const { event, quiet } = testEvent(notShowing);
      const { id: eventId, record } = insert(eventOfTest(event, workspaceId), uuid, now);
      if (quiet !== null) markQuiet.run(quiet, eventId);
      insertDelivery.run({ eventId, deviceId: device.id, workspaceId, route, ...now });
      return { event: record };
    },
  };
}

function isToCome(sendAtMs: number | null, wallMs: number): boolean {
  return sendAtMs !== null && sendAtMs > wallMs;
}

function eventOfTest(event: PostedEvent, workspaceId: number): NewEvent {
  return {
    ...event,
    workspaceId,
    channelId: null,
    hadLinks: 0,
    linksMark: null,
    postedBy: null,
    targeted: 1,
    last: null,
  };
}

interface UsageCounters {
  /** Returns the workspace's events of the month. */
  inMonth(workspaceId: number, wallMs: number): number;
  /** Counts an event against the workspace's allowance, and in channel statistics. */
  countEvent(event: { workspaceId: number; channelId: number; wallMs: number }): void;
}

function usageCounters(db: Db): UsageCounters {
  const readUse = db
    .prepare<[number, string], number>('SELECT events FROM usage WHERE workspace_id = ? AND month = ?')
    .pluck();
  const count = db.prepare<[number, string]>(`
    INSERT INTO usage (workspace_id, month, events) VALUES (?, ?, 1)
    ON CONFLICT DO UPDATE SET events = events + 1
  `);
  const countHour = db.prepare<[number, number, number]>(`
    INSERT INTO tally (hour, workspace_id, channel_id, route, measure, reason, count)
    VALUES (?, ?, ?, '', 'events', '', 1)
    ON CONFLICT DO UPDATE SET count = count + 1
  `);

  return {
    inMonth: (workspaceId, wallMs) => readUse.get(workspaceId, monthOf(wallMs)) ?? 0,
    countEvent({ workspaceId, channelId, wallMs }) {
      count.run(workspaceId, monthOf(wallMs));
      countHour.run(hourOf(wallMs), workspaceId, channelId);
    },
  };
}
