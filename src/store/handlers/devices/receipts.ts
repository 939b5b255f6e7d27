import { v7 } from 'uuid';
import { uuidBytesOf } from '../../../contract/public-id.ts';
import { MISSED_TO_BE_SILENT, RECEIPT_WITHIN_MS } from '../../../contract/receipts.ts';
import type { Moment } from '../../../process/clock.ts';
import type { Receipt, ReceiptAnswer } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import { UNFINISHED } from '../events/states.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';

/** Missing reports given up per call: each changes two rows. */
const MISSED_AT_ONCE = 100;

/** Devices found not showing, and notified ones, per call: at most four rows each. */
const MOST_SILENT = 5;
const MOST_OTHERS = 10;

const REPORTER = `
  SELECT device.id, device.user_id AS "userId", reporter.shown_at AS "shownAtMs", shown_event AS "shownEvent", missed,
    missed_from AS "missedFrom"
  FROM device JOIN reporter ON reporter.device_id = device.id
  WHERE device.public_id = :id AND reporter.token_hash = :tokenHash`;

/**
 * The device must have the push: it was tried, or a retry awaits. Reports may precede the recorded delivery, so a
 * subscription from before the event counts until then.
 */
const EVENT = `
  SELECT event.id, event.workspace_id AS "workspaceId", event.received_at AS "receivedAtMs",
    receipt.shown_at AS "shownAtMs", receipt.opened_at AS "openedAtMs"
  FROM event LEFT JOIN receipt ON receipt.event_id = event.id AND receipt.device_id = :deviceId
  LEFT JOIN delivery ON delivery.event_id = event.id AND delivery.device_id = :deviceId
  WHERE event.uuid = :uuid AND (event.alert_id IS NOT NULL OR event.channel_id IS NULL) AND (
    delivery.attempts > 0 OR delivery.state = 'pending' OR (delivery.state IS NULL AND ${UNFINISHED} AND EXISTS (
      SELECT 1 FROM subscription WHERE subscription.channel_id = event.channel_id
        AND subscription.device_id = :deviceId AND subscription.number <= event.last_subscription
    ))
  )`;

const RECORD = `
  INSERT INTO receipt (event_id, device_id, shown_at, opened_at) VALUES (:eventId, :deviceId, :shownAtMs, :openedAtMs)
  ON CONFLICT (event_id, device_id) DO UPDATE SET
    awaited_until = NULL, shown_at = excluded.shown_at, opened_at = excluded.opened_at`;

const COUNT = 'UPDATE event SET shown = shown + :shown, opened = opened + :opened WHERE id = CAST(:eventId AS BIGINT)';

const HEAR = `
  UPDATE reporter SET shown_at = :shownAtMs, shown_event = :shownEvent, missed = CAST(:missed AS BIGINT),
    missed_from = :missedFrom, silent_at = CASE WHEN CAST(:missed AS BIGINT) = 0 THEN NULL ELSE silent_at END
  WHERE device_id = :deviceId`;

const MISSED = `
  SELECT receipt.event_id AS "eventId", receipt.device_id AS "deviceId", coalesce(reporter.shown_event, 0) AS "shownEvent"
  FROM receipt LEFT JOIN reporter ON reporter.device_id = receipt.device_id
  WHERE awaited_until IS NOT NULL AND awaited_until <= CAST(:steadyMs AS BIGINT)
  ORDER BY awaited_until, receipt.event_id, receipt.device_id LIMIT ${MISSED_AT_ONCE}`;

const MISS = `
  UPDATE reporter SET missed = missed + 1, missed_from = CASE WHEN missed = 0 THEN CAST(:eventId AS BIGINT) ELSE missed_from END,
    silent_at = CASE WHEN missed + 1 >= ${MISSED_TO_BE_SILENT} THEN coalesce(silent_at, CAST(:wallMs AS BIGINT)) ELSE silent_at END
  WHERE device_id = :deviceId AND shown_at IS NOT NULL
  RETURNING missed`;

/** Silent devices get no notice about others. */
const OTHERS = `
  SELECT public_id FROM device
  WHERE user_id = (SELECT user_id FROM device WHERE id = :deviceId) AND id <> :deviceId AND status = 'active'
    AND NOT EXISTS (SELECT 1 FROM reporter WHERE device_id = device.id AND silent_at IS NOT NULL)
  ORDER BY id DESC LIMIT ${MOST_OTHERS}`;

interface ReporterRow {
  readonly id: number;
  readonly userId: number;
  readonly shownAtMs: number | null;
  readonly shownEvent: number;
  readonly missed: number;
  readonly missedFrom: number;
}
interface ReportedEvent {
  readonly id: number;
  readonly workspaceId: number;
  readonly receivedAtMs: number;
  readonly shownAtMs: number | null;
  readonly openedAtMs: number | null;
}

/** Stores reports of shown pushes, and finds devices that stopped reporting. */
export function receipts(sql: Sql, { testDevice }: Pick<EngineDeps, 'testDevice'>) {
  const reporter = sql.get<{ id: string; tokenHash: Buffer }, ReporterRow>(REPORTER);
  const eventFor = sql.get<{ uuid: Uint8Array | null; deviceId: number }, ReportedEvent>(EVENT);
  const record = sql.run<object>(RECORD);
  const count = sql.run<object>(COUNT);
  const hear = sql.run<object>(HEAR);
  const missed = sql.all<{ steadyMs: number }, { eventId: number; deviceId: number; shownEvent: number }>(MISSED);
  const forget = sql.run<object>('DELETE FROM receipt WHERE event_id = :eventId AND device_id = :deviceId');
  const miss = sql.value<object, number>(MISS);
  const named = sql.get<{ deviceId: number }, { id: string; name: string }>(
    'SELECT public_id AS id, name FROM device WHERE id = :deviceId',
  );
  const others = sql.values<{ deviceId: number }, string>(OTHERS);
  const nextUntil = sql.value<object, number>(
    'SELECT awaited_until FROM receipt WHERE awaited_until IS NOT NULL ORDER BY awaited_until LIMIT 1',
  );
  const isAnyReporting = sql.value<object, 1>('SELECT 1 FROM reporter WHERE shown_at IS NOT NULL LIMIT 1');

  async function recordOne(report: Receipt, { wallMs }: Moment): Promise<ReceiptAnswer> {
    const { id, tokenHash, publicId, atMs, opened } = report;
    const device = await reporter({ id, tokenHash: Buffer.from(tokenHash, 'hex') });
    if (device === undefined) return { kind: 'no_device' };
    const event = await eventFor({ uuid: uuidBytesOf(publicId), deviceId: device.id });
    if (event === undefined) return { kind: 'no_event' };
    const isFirst = device.shownAtMs === null;
    const answer = { kind: 'recorded', workspaceId: event.workspaceId, isFirst } as const;
    const isNewlyShown = event.shownAtMs === null;
    const isNewlyOpened = opened && event.openedAtMs === null;
    if (!isNewlyShown && !isNewlyOpened) return answer;
    // Device clocks may be wrong: nothing is shown before its receipt here, or in the future.
    const shownAtMs = event.shownAtMs ?? Math.min(Math.max(atMs, event.receivedAtMs), wallMs);
    const openedAtMs = isNewlyOpened ? Math.min(Math.max(atMs, shownAtMs), wallMs) : event.openedAtMs;
    const of = { eventId: event.id, deviceId: device.id };
    await record({ ...of, shownAtMs, openedAtMs });
    await count({ eventId: event.id, shown: isNewlyShown ? 1 : 0, opened: isNewlyOpened ? 1 : 0 });
    if (isNewlyShown) await hear({ ...of, ...heard(device, event.id, shownAtMs) });
    return answer;
  }

  /** Tells a person silently on other devices. Devices that can get no push get no notice. */
  async function tellOthers(deviceId: number, name: string, now: Moment): Promise<void> {
    for (const id of await others({ deviceId })) {
      await testDevice({ id, uuid: v7({ msecs: now.wallMs }), notShowing: name }, now);
    }
  }

  return {
    async findReporter({ id, tokenHash }) {
      const found = await reporter({ id, tokenHash: Buffer.from(tokenHash, 'hex') });
      return found === undefined ? null : { userId: found.userId };
    },

    async recordReceipts({ reports }, now) {
      const answers: ReceiptAnswer[] = [];
      for (const report of reports) answers.push(await recordOne(report, now));
      return answers;
    },

    async missReceipts(_, now) {
      const { steadyMs, wallMs } = now;
      const silent: string[] = [];
      for (const { eventId, deviceId, shownEvent } of await missed({ steadyMs })) {
        if (silent.length === MOST_SILENT) break;
        await forget({ eventId, deviceId });
        // The device showed a later push.
        if (eventId < shownEvent) continue;
        if ((await miss({ eventId, deviceId, wallMs })) !== MISSED_TO_BE_SILENT) continue;
        const device = await named({ deviceId });
        if (device === undefined) continue;
        await tellOthers(deviceId, device.name, now);
        silent.push(device.id);
      }
      if ((await isAnyReporting({})) === undefined) return { nextInMs: null, silent };
      const untilMs = (await nextUntil({})) ?? steadyMs + RECEIPT_WITHIN_MS;
      return { nextInMs: Math.max(0, untilMs - steadyMs), silent };
    },
  } satisfies SomeHandlers;
}

/** Late reports from before the missed pushes do not prove that the device shows. */
function heard({ shownAtMs, shownEvent, missed, missedFrom }: ReporterRow, eventId: number, atMs: number) {
  const isAfter = missed === 0 || eventId >= missedFrom;
  return {
    shownAtMs: Math.max(atMs, shownAtMs ?? 0),
    shownEvent: Math.max(eventId, shownEvent),
    missed: isAfter ? 0 : missed,
    missedFrom: isAfter ? 0 : missedFrom,
  };
}
