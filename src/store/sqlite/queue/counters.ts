import type { Uuid } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import { DELIVERY_STATES, type DeliveryState, type Route } from '../../../push.ts';
import { bucketOf } from '../../../values/histogram.ts';
import { hourOf } from '../../../values/timestamp.ts';
import type { Db } from '../transaction.ts';

/** Ends of pushes, and what an event counts beside them, in the order of COUNT_ON_EVENT. */
const ENDS = DELIVERY_STATES.filter((state) => state !== 'pending');
const ON_EVENT: readonly Measure[] = [...ENDS, 'fitted'];

/** The statements of each event have positional parameters: names cost up to half of a statement. */
const COUNT_ON_EVENT = `
  UPDATE event SET
    ${ON_EVENT.map((measure) => `${measure} = ${measure} + ?`).join(', ')},
    first_accepted_at = coalesce(first_accepted_at, ?), last_accepted_at = coalesce(?, last_accepted_at)
  WHERE id = ?`;

/** Reads before the update: RETURNING takes longer than both. */
const COUNTED_EVENT = `
  SELECT uuid, received_at AS receivedAtMs, targeted - accepted - failed - unregistered - expired - withdrawn AS pending
  FROM event WHERE id = ?`;

const COUNT_BY_HOUR = `
  INSERT INTO tally (hour, workspace_id, channel_id, route, measure, reason, count)
  VALUES (:hour, :workspaceId, :channelId, :route, :measure, :reason, :count)
  ON CONFLICT DO UPDATE SET count = count + excluded.count`;

export type FinalState = Exclude<DeliveryState, 'pending'>;
type Measure = FinalState | 'fitted' | 'deferred' | 'links_lost' | 'latency';

/** Owner of counts: event and route. */
export interface CountedFor {
  readonly eventId: number;
  readonly workspaceId: number;
  readonly channelId: number | null;
  readonly route: Route;
}

interface Count {
  readonly measure: Measure;
  readonly reason: string;
  count: number;
}

/** Counts per measure and reason. */
export class Counts {
  readonly #counts = new Map<string, Count>();

  add(measure: Measure, reason = '', count = 1): this {
    if (count <= 0) return this;
    const name = `${measure} ${reason}`;
    const known = this.#counts.get(name);
    if (known) known.count += count;
    else this.#counts.set(name, { measure, reason, count });
    return this;
  }

  /** Returns the sums of these measures. */
  sums(measures: readonly Measure[]): number[] {
    const sums = measures.map(() => 0);
    for (const { measure, count } of this.#counts.values()) {
      const place = measures.indexOf(measure);
      if (place >= 0) sums[place] = (sums[place] ?? 0) + count;
    }
    return sums;
  }

  [Symbol.iterator](): Iterator<Count> {
    return this.#counts.values();
  }
}

interface HourlyCount extends Omit<CountedFor, 'eventId' | 'channelId'>, Count {
  readonly channelId: number;
}

/**
 * Keeps event and hourly counts in step: both change only here. Hourly ones are gathered until `flush`: many small
 * events change the same few.
 */
export function counters(db: Db) {
  const counted = db.prepare<[number], { uuid: Buffer; receivedAtMs: number; pending: number }>(COUNTED_EVENT);
  const onEvent = db.prepare<unknown[]>(COUNT_ON_EVENT);
  const byHour = db.prepare(COUNT_BY_HOUR);

  /** One for records of the same time, ended by `flush`. */
  return (now: Moment) => {
    const { wallMs } = now;
    const hourly = new Map<string, HourlyCount>();

    function gather({ workspaceId, channelId, route }: CountedFor, { measure, reason, count }: Count): void {
      const name = `${workspaceId} ${channelId} ${route} ${measure} ${reason}`;
      const known = hourly.get(name);
      if (known) known.count += count;
      else hourly.set(name, { workspaceId, channelId: channelId ?? 0, route, measure, reason, count });
    }

    return {
      now,
      /** `isKnown`: the event exists; otherwise nothing is counted. `ended`: its UUID if nothing is pending. */
      count(of: CountedFor, counts: Counts): { readonly isKnown: boolean; readonly ended: Uuid | null } {
        const event = counted.get(of.eventId);
        if (!event) return { isKnown: false, ended: null };
        const sums = counts.sums(ON_EVENT);
        const [accepted = 0] = sums;
        const acceptedAtMs = accepted > 0 ? wallMs : null;
        onEvent.run(sums, acceptedAtMs, acceptedAtMs, of.eventId);
        for (const count of counts) gather(of, count);
        if (accepted > 0) {
          const bucket = String(bucketOf(wallMs - event.receivedAtMs));
          // Counts by workspace and route: channels would take more rows than all else.
          gather({ ...of, channelId: null }, { measure: 'latency', reason: bucket, count: accepted });
        }
        const pending = ENDS.reduce((left, _, place) => left - (sums[place] ?? 0), event.pending);
        return { isKnown: true, ended: pending <= 0 ? event.uuid : null };
      },
      flush(): void {
        const hour = hourOf(wallMs);
        for (const count of hourly.values()) byHour.run({ hour, ...count });
      },
    };
  };
}
export type OpenCounters = ReturnType<ReturnType<typeof counters>>;
