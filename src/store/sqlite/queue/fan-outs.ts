import type { UnmutedFor } from '../../handlers/devices/mutes.ts';
import type { Claims } from '../../queue/claims.ts';
import type { ClaimedPart, FanOutKey, Page } from '../../queue/fan-out-pages.ts';
import type { ClaimedTargets } from '../../queue/packing.ts';
import { type EventHead, endOfLife, isExpired, type TargetRow, targetOf, WITHDRAWN } from '../../queue/targets.ts';
import type { Db, TransactionHooks } from '../transaction.ts';
import { Counts, type OpenCounters } from './counters.ts';
import type { LaneKey } from './ready.ts';

const NEXT = `
  SELECT event_id AS eventId, channel_id AS channelId, cursor, last FROM fan_out
  WHERE route = +:route AND lane = +:lane AND workspace_id = +:workspaceId AND event_id > +:after
  ORDER BY event_id LIMIT +:limit`;

const ONE = `
  SELECT event_id AS eventId, channel_id AS channelId, cursor, last FROM fan_out
  WHERE route = :route AND lane = :lane AND workspace_id = :workspaceId AND event_id = :eventId`;

/** The anti-join skips what was settled out of order before a crash. */
const PAGE = `
  SELECT s.number, v.id AS deviceId, 0 AS attempts, v.token, v.token_kind AS tokenKind, v.keys,
    v.accepted_at IS NOT NULL AS wasAccepted, v.refused_at IS NOT NULL AS isQuarantined,
    s.min_level > +:level OR s.muted_until > +:wallMs AS isMuted, s.user_id <> +:onCall AS isInformed
  FROM subscription s JOIN device v ON v.id = s.device_id
  WHERE s.channel_id = +:channelId AND s.route = +:route AND s.active = 1 AND s.number > +:from AND s.number <= +:to
    AND v.status = 'active' AND s.generation = v.generation
    AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_id = +:eventId AND d.device_id = s.device_id)
  ORDER BY s.number LIMIT +:limit`;

const ADVANCE = `
  UPDATE fan_out SET cursor = max(cursor, :cursor), recorded = recorded + :recorded
  WHERE route = :route AND lane = :lane AND workspace_id = :workspaceId AND event_id = :eventId`;

const END = `
  DELETE FROM fan_out WHERE route = :route AND lane = :lane AND workspace_id = :workspaceId AND event_id = :eventId
  RETURNING channel_id AS channelId, targeted - recorded AS left`;

/** Fan-outs per read: many are small. */
const READ_TOGETHER = 20;

type PageRow = TargetRow & { readonly number: number };

type ClaimedPage = Omit<ClaimedTargets<ClaimedPart>, 'event'>;
export interface FanOut extends FanOutKey {
  readonly channelId: number;
  readonly cursor: number;
  readonly last: number;
}
type FanOutRow = Omit<FanOut, keyof LaneKey | 'workspaceId'>;

/** Fresh pushes: cursors through events' subscriptions. */
export function fanOuts(
  db: Db,
  claims: Claims,
  headOf: (eventId: number) => EventHead | undefined,
  hooks: Pick<TransactionHooks, 'onRollback'>,
) {
  const next = db.prepare<unknown[], FanOutRow>(NEXT);
  const byKey = db.prepare<unknown[], FanOutRow>(ONE);
  const page = db.prepare<unknown[], PageRow>(PAGE);
  const advance = db.prepare(ADVANCE);
  const end = db.prepare<unknown[], { channelId: number; left: number }>(END);

  return {
    /** Yields a workspace's open fan-outs behind `after`, by acceptance. */
    *behind({ route, lane }: LaneKey, workspaceId: number, after: number): Generator<FanOut> {
      for (let from = after, limit = 1; ; limit = READ_TOGETHER) {
        const rows = next.all({ route, lane, workspaceId, after: from, limit });
        for (const row of rows) yield { route, lane, workspaceId, ...row };
        if (rows.length < limit) return;
        from = rows.at(-1)?.eventId ?? from;
      }
    },

    /** Undefined once ended. */
    find({ route, lane, workspaceId, eventId }: FanOutKey): FanOut | undefined {
      const row = byKey.get({ route, lane, workspaceId, eventId });
      return row && { route, lane, workspaceId, ...row };
    },

    /**
     * Claims a fan-out's next targets that have not muted it; null: nothing is left unclaimed. `onMuted` records the
     * others, and returns whether it has room for more.
     */
    claimPage(
      fanOut: FanOut,
      limit: number,
      unmuted: UnmutedFor,
      onMuted: (deviceIds: readonly number[]) => boolean,
    ): ClaimedPage | null {
      for (;;) {
        const open = claims.pages.next(fanOut, fanOut.cursor, fanOut.last);
        if (!open) return null;
        const { route, channelId, eventId } = fanOut;
        const rows = page.all({ ...unmuted, route, channelId, eventId, from: open.from, to: open.to, limit });
        const to = rows.length < limit ? open.to : (rows.at(-1)?.number ?? open.to);
        const taken: Page = { from: open.from, to };
        const isExhausted = to >= fanOut.last;
        const heard = rows.filter(({ isMuted }) => !isMuted);
        const hasRoom =
          heard.length === rows.length || onMuted(rows.flatMap(({ isMuted, deviceId }) => (isMuted ? [deviceId] : [])));
        if (heard.length > 0) {
          const deviceIds = heard.map(({ deviceId }) => deviceId);
          const part = claims.pages.claim(fanOut, channelId, taken, isExhausted, deviceIds, unmuted.wallMs);
          return { part, targets: heard.map(targetOf) };
        }
        hooks.onRollback(() => claims.pages.unskip(fanOut, taken));
        if (!claims.pages.skip(fanOut, taken, isExhausted) || !hasRoom) return null;
      }
    },

    advance(key: FanOutKey, cursor: number, recorded: number): void {
      const { route, lane, workspaceId, eventId } = key;
      advance.run({ route, lane, workspaceId, eventId, cursor, recorded });
    },

    /**
     * Closes a fan-out without claimed pages. `recorded`: deliveries its row does not count yet. Unreached targets
     * count as `expired`, or `withdrawn` if they left. Returns the event's UUID if nothing is pending, else null.
     */
    end(key: FanOutKey, recorded: number, counters: OpenCounters): Buffer | null {
      const { route, lane, workspaceId, eventId } = key;
      claims.pages.forget(key);
      const ended = end.get({ route, lane, workspaceId, eventId });
      const left = (ended?.left ?? 0) - recorded;
      const head = left > 0 ? headOf(eventId) : undefined;
      if (!ended || !head) return null;
      const { state, reason } = isExpired(head, counters.now.steadyMs) ? endOfLife(head) : WITHDRAWN.gone;
      const counts = new Counts().add(state, reason, left);
      return counters.count({ eventId, workspaceId, channelId: ended.channelId, route }, counts).ended;
    },
  };
}
export type FanOuts = ReturnType<typeof fanOuts>;
