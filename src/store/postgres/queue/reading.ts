import type { Lane, Route, Target } from '../../../push.ts';
import { SELECT_KEPT } from '../../event-columns.ts';
import { IS_CANCELLED, IS_TAKEN_BACK } from '../../handlers/alerts/alert-rows.ts';
import { NO_CHANNEL } from '../../handlers/events/left-out.ts';
import { type ClaimedTarget, type ClaimedTargets, claimedEvent, type QueuedEvent } from '../../handlers/packing.ts';
import type { Connection } from '../connections.ts';
import type { QueueDeps } from './deps.ts';
import type { HeldPart } from './held-claims.ts';
import { type QueueVerdict, settleLines, type VerdictLine } from './verdict-lines.ts';

/** A row of `claim_parts`. Without `claim_id`: an ending; without an event: locked rows. */
export interface PartRow {
  readonly claim_id: number | null;
  readonly workspace_id: number;
  readonly event_id: number | null;
  readonly channel_id: number | null;
  readonly home: number;
  /** Handed out and released before. */
  readonly is_again: boolean;
  readonly from_number: number;
  readonly to_number: number;
  readonly finished: Buffer | null;
}
interface TargetRow {
  readonly claim_id: number;
  readonly device_id: number;
  readonly token: string;
  readonly token_kind: Target['tokenKind'];
  readonly keys: string | null;
  readonly attempts: number;
  readonly was_accepted: boolean;
  readonly is_quarantined: boolean;
  /** null: device deleted. */
  readonly status: 'active' | 'inactive' | null;
  readonly inactive_reason: string | null;
  readonly entitled: boolean | null;
  /** null: not subscribed. */
  readonly is_muted: boolean | null;
  /** null: the event rings for everyone. */
  readonly is_informed: boolean | null;
}
interface HeadRow extends QueuedEvent {
  readonly workspaceId: number;
  readonly readAtMs: number;
  readonly leftMs: number;
  readonly isCancelled: boolean;
}

const READ = 'SELECT * FROM read_parts($1, $2)';

const now = (given: string) =>
  `coalesce(CAST(${given} AS BIGINT), (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`;

/** Selects the claimed events, except those that lost event, channel or workspace. */
const HEADS = `
  SELECT event.id, event.uuid, event.workspace_id AS "workspaceId", event.channel_id AS "channelId", event.had_links AS "hadLinks",
    event.received_at AS "receivedAtMs", ${now(':wallMs')} AS "readAtMs",
    CASE WHEN ${IS_TAKEN_BACK} THEN 0 ELSE event.expires_at - ${now(':steadyMs')} END AS "leftMs",
    event.cancelled_at IS NOT NULL OR ${IS_CANCELLED} AS "isCancelled",
    event.alert, event.quiet, event.on_call AS "onCall", w.slug AS workspace, coalesce(c.slug, ${NO_CHANNEL}) AS channel, c.name AS "channelName", ${SELECT_KEPT}
  FROM events_of(CAST(:ids AS BIGINT[])) AS event
  JOIN workspace w ON w.id = event.workspace_id LEFT JOIN channel c ON c.id = event.channel_id
  WHERE event.channel_id IS NULL OR c.id IS NOT NULL`;

const FORGET = `DELETE FROM delivery WHERE event_id = ANY (CAST(:ids AS BIGINT[])) AND state = 'pending'`;

export type ClaimRow = PartRow & {
  readonly claim_id: number;
  readonly event_id: number;
  /** The number of the request that claimed the part. */
  readonly request: number;
};
export interface ReadParts {
  readonly claimed: readonly ClaimedTargets<HeldPart>[];
  /** UUIDs in hex. */
  readonly finished: readonly string[];
  readonly hasEndings: boolean;
}
export const NOTHING: ReadParts = { claimed: [], finished: [], hasEndings: false };

/** Reads the claimed parts' targets. Settles those that need no send. */
export async function readParts(
  connection: Connection,
  deps: QueueDeps,
  { route, lane }: { readonly route: Route; readonly lane: Lane },
  rows: readonly ClaimRow[],
): Promise<ReadParts> {
  const { ask, sql } = connection;
  const asked = rows.map(({ finished: _, workspace_id: __, home: ___, ...row }, place) => ({ ...row, place, route }));
  const { wallMs = null, steadyMs = null } = deps.now() ?? {};
  const targets = (await ask({ text: READ, values: [JSON.stringify(asked), wallMs] })).rows as readonly TargetRow[];
  const ids = [...new Set(rows.map(({ event_id }) => event_id))];
  const heads = await sql.all<object, HeadRow>(HEADS)({ ids, wallMs, steadyMs });
  const headOf = new Map(heads.map((head) => [head.id, head]));
  const targetsOf = Map.groupBy(targets, ({ claim_id }) => claim_id);
  const claimed: ClaimedTargets<HeldPart>[] = [];
  const ended: VerdictLine[] = [];
  const done: HeldPart[] = [];
  for (const row of rows) {
    const head = headOf.get(row.event_id);
    const part = partOf(row);
    if (head) {
      part.channelId = head.channelId;
      part.readAtMs = head.readAtMs;
    }
    const targetsOfPart = head === undefined ? [] : (targetsOf.get(row.claim_id) ?? []);
    const verdicts = targetsOfPart.map((target) => (head === undefined ? null : endOf(target, head)));
    const live = targetsOfPart.filter((_, place) => verdicts[place] === null);
    for (const [place, { device_id: deviceId }] of targetsOfPart.entries()) {
      const verdict = verdicts[place];
      if (verdict) ended.push({ part, route, lane, deviceId, verdict, fitted: false, linksLost: false });
    }
    part.open = live.length;
    if (live.length === 0) done.push(part);
    if (head && live.length > 0)
      claimed.push({ part, event: claimedEvent(head, head.workspaceId, head.leftMs), targets: live.map(targetOf) });
  }
  const gone = ids.filter((id) => !headOf.has(id));
  if (gone.length > 0) await sql.run<object>(FORGET)({ ids: gone });
  const hasEndings = ended.length > 0 || done.length > 0;
  return { claimed, finished: hasEndings ? await settleLines(connection, deps, ended, done) : [], hasEndings };
}

export function partOf({
  claim_id,
  workspace_id,
  event_id,
  channel_id,
  home,
  from_number,
  to_number,
  request,
}: ClaimRow): HeldPart {
  return {
    id: claim_id,
    request,
    workspaceId: workspace_id,
    eventId: event_id,
    channelId: channel_id,
    home,
    isPage: from_number < to_number,
    readAtMs: 0,
    open: 0,
  };
}

/** Returns an unsent push's final state; null: it is sent. */
function endOf({ status, entitled, is_muted, inactive_reason, token }: TargetRow, head: HeadRow): QueueVerdict | null {
  if (head.isCancelled) return { state: 'withdrawn', reason: 'cancelled' };
  if (head.leftMs <= 0) return { state: 'expired', reason: 'ttl' };
  if (status === 'active' && entitled === true) return is_muted ? { state: 'withdrawn', reason: 'muted' } : null;
  if (status === 'inactive' && entitled === true) {
    return { state: 'unregistered', reason: inactive_reason ?? 'inactive', token, atMs: null };
  }
  return { state: 'withdrawn', reason: status === null ? 'device_removed' : 'unsubscribed' };
}

function targetOf(row: TargetRow): ClaimedTarget {
  return {
    deviceId: row.device_id,
    token: row.token,
    tokenKind: row.token_kind,
    keys: row.keys,
    attempts: row.attempts,
    wasAccepted: row.was_accepted,
    isQuarantined: row.is_quarantined,
    ...(row.is_informed && { isInformed: true }),
  };
}
