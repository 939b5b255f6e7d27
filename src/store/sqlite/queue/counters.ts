import type { Moment } from '../../../process/clock.ts';
import type { DeliveryState, Route } from '../../../push.ts';
import { bucketOf } from '../../../values/histogram.ts';
import { hourOf } from '../../../values/timestamp.ts';
import type { Db } from '../transaction.ts';

const COUNT_ON_EVENT = `
  UPDATE event SET
    accepted = accepted + :accepted, failed = failed + :failed, unregistered = unregistered + :unregistered,
    expired = expired + :expired, withdrawn = withdrawn + :withdrawn, fitted = fitted + :fitted,
    first_accepted_at = CASE WHEN :accepted > 0 THEN coalesce(first_accepted_at, :wallMs) ELSE first_accepted_at END,
    last_accepted_at = CASE WHEN :accepted > 0 THEN :wallMs ELSE last_accepted_at END
  WHERE id = :eventId
  RETURNING uuid, received_at AS receivedAtMs, targeted - accepted - failed - unregistered - expired - withdrawn AS pending`;

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

  sum(measure: Measure): number {
    let sum = 0;
    for (const count of this.#counts.values()) if (count.measure === measure) sum += count.count;
    return sum;
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
  const onEvent = db.prepare<unknown[], { uuid: Buffer; receivedAtMs: number; pending: number }>(COUNT_ON_EVENT);
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
      /** `isKnown`: the event exists; otherwise nothing is counted. `ended`: its UUID, in hex, if nothing is pending. */
      count(of: CountedFor, counts: Counts): { readonly isKnown: boolean; readonly ended: string | null } {
        const accepted = counts.sum('accepted');
        const event = onEvent.get({
          eventId: of.eventId,
          wallMs,
          accepted,
          failed: counts.sum('failed'),
          unregistered: counts.sum('unregistered'),
          expired: counts.sum('expired'),
          withdrawn: counts.sum('withdrawn'),
          fitted: counts.sum('fitted'),
        });
        if (!event) return { isKnown: false, ended: null };
        for (const count of counts) gather(of, count);
        if (accepted > 0) {
          const bucket = String(bucketOf(wallMs - event.receivedAtMs));
          // Counts by workspace and route: channels would take more rows than all else.
          gather({ ...of, channelId: null }, { measure: 'latency', reason: bucket, count: accepted });
        }
        return { isKnown: true, ended: event.pending <= 0 ? event.uuid.toString('hex') : null };
      },
      flush(): void {
        const hour = hourOf(wallMs);
        for (const count of hourly.values()) byHour.run({ hour, ...count });
      },
    };
  };
}
export type OpenCounters = ReturnType<ReturnType<typeof counters>>;
