import type { Lane, Route, TokenKind } from '../../push.ts';
import type { Db } from '../handlers.ts';
import type { ClaimedBatch, Claims, FanOutKey, Page } from './claims.ts';
import type { EventHead } from './event-heads.ts';
import { type Ledger, Sheet } from './ledger.ts';

const NEXT = `
  SELECT event_id AS eventId, channel_id AS channelId, cursor, last FROM fan_out
  WHERE route = :route AND lane = :lane AND workspace_id = :workspaceId AND event_id > :after
  ORDER BY event_id LIMIT 1`;

/** The anti-join makes a page that is read again after a crash skip what was settled out of order before it. */
const PAGE = `
  SELECT s.number, v.id AS deviceId, v.token, v.token_kind AS tokenKind, 0 AS attempts
  FROM subscription s JOIN device v ON v.id = s.device_id
  WHERE s.channel_id = :channelId AND s.route = :route AND s.active = 1 AND s.number > :from AND s.number <= :to
    AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_id = :eventId AND d.device_id = s.device_id)
  ORDER BY s.number LIMIT :limit`;

const ADVANCE = `
  UPDATE fan_out SET cursor = max(cursor, :cursor), recorded = recorded + :recorded
  WHERE route = :route AND lane = :lane AND workspace_id = :workspaceId AND event_id = :eventId`;

const END = `
  DELETE FROM fan_out WHERE route = :route AND lane = :lane AND workspace_id = :workspaceId AND event_id = :eventId
  RETURNING channel_id AS channelId, targeted - recorded AS left`;

export interface ClaimedTarget {
  readonly deviceId: number;
  readonly token: string;
  readonly tokenKind: TokenKind;
  readonly attempts: number;
}
/** `targets` are the batch's devices, in the same order. */
export interface ClaimedPage {
  readonly batch: ClaimedBatch;
  readonly targets: readonly ClaimedTarget[];
}
export interface FanOut extends FanOutKey {
  readonly channelId: number;
  readonly cursor: number;
  readonly last: number;
}

/** Fresh pushes: an event's way through its subscriptions, by a cursor. */
export function fanOuts(db: Db, claims: Claims, ledger: Ledger) {
  const next = db.prepare<unknown[], { eventId: number; channelId: number; cursor: number; last: number }>(NEXT);
  const page = db.prepare<unknown[], ClaimedTarget & { number: number }>(PAGE);
  const advance = db.prepare(ADVANCE);
  const end = db.prepare<unknown[], { channelId: number; left: number }>(END);

  return {
    /** The open fan-out behind `after`, in the order of acceptance. */
    next(route: Route, lane: Lane, workspaceId: number, after: number): FanOut | undefined {
      const row = next.get({ route, lane, workspaceId, after });
      return row && { route, lane, workspaceId, ...row };
    },

    /** The next targets of a fan-out, claimed; null while all that is left of it is out, or nothing is left. */
    claimPage(fanOut: FanOut, pageSize: number): ClaimedPage | null {
      for (;;) {
        const open = claims.nextPage(fanOut, fanOut.cursor, fanOut.last);
        if (!open) return null;
        const { route, channelId, eventId } = fanOut;
        const rows = page.all({ route, channelId, eventId, from: open.from, to: open.to, limit: pageSize });
        const to = rows.length < pageSize ? open.to : (rows.at(-1)?.number ?? open.to);
        const taken: Page = { from: open.from, to };
        const exhausted = to >= fanOut.last;
        if (rows.length > 0) {
          const targets = rows.map(({ number: _, ...target }) => target);
          const deviceIds = targets.map((target) => target.deviceId);
          return { batch: claims.claimPage(fanOut, channelId, taken, exhausted, deviceIds), targets };
        }
        claims.skipPage(fanOut, taken, exhausted);
        if (exhausted) return null;
      }
    },

    advance(key: FanOutKey, cursor: number, recorded: number): void {
      const { route, lane, workspaceId, eventId } = key;
      advance.run({ route, lane, workspaceId, eventId, cursor, recorded });
    },

    /** Closes a fan-out. Who was targeted and never reached is `expired` or, having gone meanwhile, `withdrawn`. */
    end(key: FanOutKey, head: EventHead | undefined, steadyMs: number, wallMs: number): Buffer | null {
      const { route, lane, workspaceId, eventId } = key;
      const ended = end.get({ route, lane, workspaceId, eventId });
      if (!ended || !head || ended.left <= 0) return null;
      const sheet = isExpired(head, steadyMs)
        ? new Sheet().add('expired', 'ttl', ended.left)
        : new Sheet().add('withdrawn', 'gone', ended.left);
      return ledger.book({ eventId, workspaceId, channelId: ended.channelId, route }, sheet, wallMs);
    },
  };
}
export type FanOuts = ReturnType<typeof fanOuts>;

export function isExpired(head: EventHead, steadyMs: number): boolean {
  return head.expiresAtSteadyMs <= steadyMs;
}
