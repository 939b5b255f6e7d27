import { bucketOf } from '../../histogram.ts';
import type { DeliveryState, Route } from '../../push.ts';
import { hourOf } from '../../timestamp.ts';
import type { Db } from '../handlers.ts';

const BOOK = `
  UPDATE event SET
    accepted = accepted + :accepted, failed = failed + :failed, unregistered = unregistered + :unregistered,
    expired = expired + :expired, withdrawn = withdrawn + :withdrawn, fitted = fitted + :fitted,
    first_accepted_at = CASE WHEN :accepted > 0 THEN coalesce(first_accepted_at, :wallMs) ELSE first_accepted_at END,
    last_accepted_at = CASE WHEN :accepted > 0 THEN :wallMs ELSE last_accepted_at END
  WHERE id = :eventId
  RETURNING uuid, received_at AS receivedAtMs, targeted - accepted - failed - unregistered - expired - withdrawn AS pending`;

const TALLY = `
  INSERT INTO tally (hour, workspace_id, channel_id, route, measure, reason, count)
  VALUES (:hour, :workspaceId, :channelId, :route, :measure, :reason, :count)
  ON CONFLICT DO UPDATE SET count = count + excluded.count`;

export type FinalState = Exclude<DeliveryState, 'pending'>;
type Measure = FinalState | 'fitted' | 'deferred' | 'links_lost' | 'latency';

/** Of which event and route something is booked. */
export interface Account {
  readonly eventId: number;
  readonly workspaceId: number;
  readonly channelId: number | null;
  readonly route: Route;
}

interface SheetLine {
  readonly measure: Measure;
  readonly reason: string;
  count: number;
}

/** What is to be booked together: counts by measure and reason. */
export class Sheet {
  readonly counts = new Map<string, SheetLine>();

  add(measure: Measure, reason = '', count = 1): this {
    if (count <= 0) return this;
    const name = `${measure} ${reason}`;
    const line = this.counts.get(name) ?? { measure, reason, count: 0 };
    line.count += count;
    this.counts.set(name, line);
    return this;
  }

  sum(measure: Measure): number {
    let sum = 0;
    for (const line of this.counts.values()) if (line.measure === measure) sum += line.count;
    return sum;
  }
}

/** Keeps the counts that stand on the event and the hourly ones in step: both change in this one place. */
export function ledger(db: Db) {
  const book = db.prepare<unknown[], { uuid: Buffer; receivedAtMs: number; pending: number }>(BOOK);
  const tally = db.prepare(TALLY);

  function count(account: Account, line: SheetLine, wallMs: number): void {
    const { workspaceId, channelId, route } = account;
    tally.run({ hour: hourOf(wallMs), workspaceId, channelId: channelId ?? 0, route, ...line });
  }

  return {
    /** Answers the event's UUID if nothing of it is pending any more, else null. */
    book(account: Account, sheet: Sheet, wallMs: number): Buffer | null {
      for (const line of sheet.counts.values()) count(account, line, wallMs);
      const accepted = sheet.sum('accepted');
      const event = book.get({
        eventId: account.eventId,
        wallMs,
        accepted,
        failed: sheet.sum('failed'),
        unregistered: sheet.sum('unregistered'),
        expired: sheet.sum('expired'),
        withdrawn: sheet.sum('withdrawn'),
        fitted: sheet.sum('fitted'),
      });
      if (event && accepted > 0) {
        const bucket = bucketOf(wallMs - event.receivedAtMs);
        const line = { measure: 'latency', reason: String(bucket), count: accepted } as const;
        // Of a workspace and its routes: for each channel it would be more rows than everything else together.
        count({ ...account, channelId: null }, line, wallMs);
      }
      return event && event.pending <= 0 ? event.uuid : null;
    },
  };
}
export type Ledger = ReturnType<typeof ledger>;
