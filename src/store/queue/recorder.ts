import type { Lane } from '../../push.ts';
import { unreachable } from '../../push.ts';
import type { Verdict } from '../calls.ts';
import type { Db } from '../handlers.ts';
import { subscriptions } from '../subscriptions.ts';
import { type Account, type FinalState, type Ledger, Sheet } from './ledger.ts';

const EVENT = `SELECT 1 FROM event WHERE id = ?`;

const RECORD = `
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, reason, at, due_at)
  VALUES (:eventId, :deviceId, :workspaceId, :route, :lane, :state, :spent, :reason, :wallMs, :dueAt)
  ON CONFLICT DO UPDATE SET state = excluded.state, attempts = attempts + excluded.attempts, reason = excluded.reason,
    at = excluded.at, due_at = excluded.due_at
  RETURNING attempts`;

const ATTEMPT = `
  INSERT INTO attempt (event_id, device_id, number, at, reason) VALUES (:eventId, :deviceId, :number, :wallMs, :reason)`;

/** The device must still be the one that was addressed: same token, and not registered again since the provider's time. */
const DEACTIVATE = `
  UPDATE device SET status = 'inactive', inactive_reason = :reason
  WHERE id = :deviceId AND token = :token AND status = 'active' AND registered_at <= :atMs`;

export type QueueVerdict = Verdict | { readonly state: 'withdrawn'; readonly reason: string };

export interface Line {
  readonly deviceId: number;
  readonly verdict: QueueVerdict;
  readonly fitted: boolean;
}

/** Writes verdicts: delivery rows, attempts, counters, and dead tokens. */
export function recorder(db: Db, ledger: Ledger) {
  const event = db.prepare<[number]>(EVENT);
  const record = db.prepare<unknown[], { attempts: number }>(RECORD);
  const attempt = db.prepare(ATTEMPT);
  const deactivate = db.prepare(DEACTIVATE);
  const { silence } = subscriptions(db);

  function write(account: Account, lane: Lane, { deviceId, verdict }: Line, wallMs: number): void {
    const spent = wasSent(verdict) ? 1 : 0;
    const row = record.get({
      eventId: account.eventId,
      workspaceId: account.workspaceId,
      route: account.route,
      lane,
      deviceId,
      state: verdict.state,
      spent,
      reason: reasonOf(verdict),
      wallMs,
      dueAt: verdict.state === 'pending' ? verdict.dueAtSteadyMs : null,
    });
    if (verdict.state === 'pending' && spent === 1) {
      attempt.run({ eventId: account.eventId, deviceId, number: row?.attempts ?? 1, wallMs, reason: verdict.reason });
    }
    if (verdict.state === 'unregistered') {
      const { reason, token, atMs } = verdict;
      const gone = deactivate.run({ deviceId, reason, token, atMs: atMs ?? wallMs });
      if (gone.changes > 0) silence(deviceId);
    }
  }

  return {
    /**
     * Answers the event's UUID if nothing of it is pending any more, else null. Of an event that was deleted while its batch
     * was out, nothing is written.
     */
    record(account: Account, lane: Lane, lines: readonly Line[], linksLost: boolean, wallMs: number): Buffer | null {
      if (!event.get(account.eventId)) return null;
      const sheet = new Sheet();
      for (const line of lines) {
        write(account, lane, line, wallMs);
        enter(sheet, line, linksLost);
      }
      return ledger.book(account, sheet, wallMs);
    },
  };
}
export type Recorder = ReturnType<typeof recorder>;

function enter(sheet: Sheet, { verdict, fitted }: Line, linksLost: boolean): void {
  switch (verdict.state) {
    case 'accepted':
      sheet.add('accepted');
      if (fitted) sheet.add('fitted');
      if (linksLost) sheet.add('links_lost');
      return;
    case 'pending':
      if (verdict.spent) sheet.add('deferred', verdict.reason);
      return;
    case 'failed':
    case 'unregistered':
    case 'expired':
    case 'withdrawn':
      sheet.add(verdict.state satisfies FinalState, verdict.reason);
      return;
    default:
      unreachable(verdict);
  }
}

/** Expired and withdrawn pushes end without another try; an unspent one came back from a paused route. */
function wasSent(verdict: QueueVerdict): boolean {
  switch (verdict.state) {
    case 'accepted':
    case 'failed':
    case 'unregistered':
      return true;
    case 'pending':
      return verdict.spent;
    case 'expired':
    case 'withdrawn':
      return false;
    default:
      return unreachable(verdict);
  }
}

function reasonOf(verdict: QueueVerdict): string | null {
  return verdict.state === 'accepted' ? null : verdict.reason;
}
