import type { HeartbeatState } from '../../../contract/heartbeats.ts';
import type { Moment } from '../../../process/clock.ts';
import type { HeartbeatFilter, Reach } from '../../calls.ts';
import { ifGiven, type Sql } from '../../sql.ts';
import { isInReach } from '../keys/bindings.ts';
import { pageOf } from '../pages.ts';
import { isLike, searchPattern } from '../search-pattern.ts';
import { HEARTBEAT, type HeartbeatRow, SHOWN_STATE } from './rows.ts';

/** Returns a function that reads a page of reachable heartbeats by slug. */
export function heartbeatPages(sql: Sql) {
  const page = sql.parts<
    Reach & { after: string; state: HeartbeatState | null; steadyMs: number; pattern: string | null },
    HeartbeatRow
  >(`
    ${HEARTBEAT}
    WHERE heartbeat.workspace_id = CAST(:workspaceId AS BIGINT) AND heartbeat.slug > CAST(:after AS TEXT)
      AND ${ifGiven('state', `${SHOWN_STATE} = :state`)}
      AND ${isLike('heartbeat.name', 'heartbeat.slug')} AND ${isInReach('channel_id')}
    ORDER BY heartbeat.slug
  `);
  return async <Shown extends { readonly slug: string }>(
    { workspaceId, boundKeyId, q, state, after = '', limit }: HeartbeatFilter & Reach,
    now: Moment,
    show: (row: HeartbeatRow, now: Moment) => Shown,
  ): Promise<{ heartbeats: readonly Shown[]; next: string | null }> => {
    const { steadyMs } = now;
    const rows = page({ workspaceId, boundKeyId, after, state: state ?? null, steadyMs, pattern: searchPattern(q) });
    const { entries, hasMore } = await pageOf(
      rows,
      (row) => show(row, now),
      () => 0,
      limit,
    );
    return { heartbeats: entries, next: hasMore ? (entries.at(-1)?.slug ?? null) : null };
  };
}
