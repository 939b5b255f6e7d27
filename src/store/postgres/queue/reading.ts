import type { Lane, Route } from '../../../push.ts';
import { type ClaimedTargets, claimedEvent } from '../../queue/packing.ts';
import {
  type EventHead,
  endOf,
  endOfLife,
  isExpired,
  type RetryRow,
  selectHeads,
  targetOf,
} from '../../queue/targets.ts';
import { dated, unsentLine } from '../../queue/verdicts.ts';
import type { Connection } from '../connections.ts';
import type { QueueDeps } from './deps.ts';
import type { HeldPart } from './held-claims.ts';
import { type HeldLine, settleLines } from './verdict-lines.ts';

/** A page's subscriptions are numbered above `from`, up to `to`; the numbers of retries are equal. */
export interface PartRow extends Pick<HeldPart, 'id' | 'request' | 'home' | 'workspaceId' | 'eventId' | 'channelId'> {
  readonly from: number;
  readonly to: number;
}
/** A row of `claim_parts`. Without `id`: an ending; without an event: locked rows. */
export interface ClaimRow extends Omit<PartRow, 'id' | 'eventId' | 'request'> {
  readonly id: number | null;
  readonly eventId: number | null;
  /** Handed out and released before. */
  readonly isAgain: boolean;
  readonly finished: Buffer | null;
}
type TargetRow = RetryRow & { readonly claimId: number };
interface HeadRow extends EventHead {
  readonly readAtMs: number;
  readonly steadyMs: number;
}

const READ = `
  SELECT claim_id AS "claimId", device_id AS "deviceId", token, token_kind AS "tokenKind", keys, attempts, was_accepted AS "wasAccepted",
    is_quarantined AS "isQuarantined", status, inactive_reason AS "inactiveReason", entitled AS "isEntitled", is_muted AS "isMuted",
    is_informed AS "isInformed"
  FROM read_parts($1, $2)`;

const now = (given: string) =>
  `coalesce(CAST(${given} AS BIGINT), (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`;

const HEADS = selectHeads('events_of(CAST(:ids AS BIGINT[])) AS event', [
  `${now(':wallMs')} AS "readAtMs"`,
  `${now(':steadyMs')} AS "steadyMs"`,
]);

const FORGET = `DELETE FROM delivery WHERE event_id = ANY (CAST(:ids AS BIGINT[])) AND state = 'pending'`;

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
  rows: readonly PartRow[],
): Promise<ReadParts> {
  const { ask, sql } = connection;
  const asked = rows.map(({ id, eventId, channelId, from, to }, place) => {
    return { place, claim_id: id, event_id: eventId, channel_id: channelId, route, from_number: from, to_number: to };
  });
  const { wallMs = null, steadyMs = null } = deps.now() ?? {};
  const targets = (await ask({ text: READ, values: [JSON.stringify(asked), wallMs] })).rows as readonly TargetRow[];
  const ids = [...new Set(rows.map(({ eventId }) => eventId))];
  const heads = await sql.all<object, HeadRow>(HEADS)({ ids, wallMs, steadyMs });
  const headOf = new Map(heads.map((head) => [head.id, head]));
  const targetsOf = Map.groupBy(targets, ({ claimId }) => claimId);
  const claimed: ClaimedTargets<HeldPart>[] = [];
  const ended: HeldLine[] = [];
  const done: HeldPart[] = [];
  for (const row of rows) {
    const head = headOf.get(row.eventId);
    if (!head) {
      done.push(heldPart(row, row.channelId, 0, 0));
      continue;
    }
    const over = isExpired(head, head.steadyMs) ? endOfLife(head) : null;
    const found = (targetsOf.get(row.id) ?? []).map((target) => ({ target, end: over ?? endOf(target) }));
    const live = found.filter(({ end }) => end === null).map(({ target }) => targetOf(target));
    const part = heldPart(row, head.channelId, head.readAtMs, live.length);
    for (const { target, end } of found) {
      if (end) ended.push({ ...unsentLine(target.deviceId, dated(end, part)), part, route, lane });
    }
    if (live.length === 0) done.push(part);
    else claimed.push({ part, event: claimedEvent(head, head.expiresAtSteadyMs - head.steadyMs), targets: live });
  }
  const gone = ids.filter((id) => !headOf.has(id));
  if (gone.length > 0) await sql.run<object>(FORGET)({ ids: gone });
  const hasEndings = ended.length > 0 || done.length > 0;
  return { claimed, finished: hasEndings ? await settleLines(connection, deps, ended, done) : [], hasEndings };
}

function heldPart(row: PartRow, channelId: number | null, claimedAtMs: number, open: number): HeldPart {
  const { id, request, home, workspaceId, eventId, from, to } = row;
  return { id, request, home, workspaceId, eventId, channelId, claimedAtMs, isPage: from < to, open };
}
