import { PUSH_RESULTS, type PushResult } from '../../../contract/push-results.ts';
import type { Moment } from '../../../process/clock.ts';
import type { DeliveryState, Route } from '../../../push.ts';
import type { LivePauses, NeverTried } from '../../calls.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import { type EventFacts, eventFacts, MOST_COUNTED, recordedResult } from './recorded-results.ts';

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
