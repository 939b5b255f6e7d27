import { stringify } from 'uuid';
import { publicIdOf } from '../../../contract/public-id.ts';
import type { Lane, Route, Target } from '../../../push.ts';
import type { AnswerOf, ArgsOf, Claim, ClaimedEvent } from '../../calls.ts';
import { type KeptFields, keptFields, SELECT_KEPT } from '../../event-columns.ts';
import type { Connection } from '../connections.ts';
import { type QueueDeps, untilUncrossed } from './deps.ts';
import type { HeldPart } from './held-claims.ts';
import { release } from './settling.ts';
import { type QueueVerdict, settleLines, type VerdictLine } from './verdict-lines.ts';

/** A row of `claim_parts`: a part; without a `claim_id` an ending; without an event, something was locked. */
interface PartRow {
  readonly claim_id: number | null;
  readonly workspace_id: number;
  readonly event_id: number | null;
  readonly channel_id: number | null;
  readonly home: number;
  /** Handed out before, and given back. */
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
  readonly is_suspect: boolean;
  /** null: the device is gone. */
  readonly status: 'active' | 'inactive' | null;
  readonly inactive_reason: string | null;
  readonly entitled: boolean | null;
}
interface HeadRow extends KeptFields {
  readonly id: number;
  readonly uuid: Uint8Array;
  readonly workspaceId: number;
  readonly channelId: number | null;
  readonly hadLinks: 0 | 1;
  readonly receivedAtMs: number;
  readonly leftMs: number;
  readonly isCancelled: boolean;
  readonly workspace: string;
  readonly channel: string;
}
interface ClaimedPart {
  readonly part: HeldPart;
  readonly event: ClaimedEvent;
  readonly targets: readonly Omit<Target, 'event'>[];
}

const CLAIM = 'SELECT * FROM claim_parts($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)';
const READ = 'SELECT * FROM read_parts($1)';

const NOW = 'coalesce(CAST(:steadyMs AS BIGINT), (extract(epoch FROM clock_timestamp()) * 1000)::bigint)';

/** Of the others the event, its channel or its workspace was deleted meanwhile. */
const HEADS = `
  SELECT event.id, event.uuid, event.workspace_id AS "workspaceId", event.channel_id AS "channelId", event.had_links AS "hadLinks",
    event.received_at AS "receivedAtMs", event.expires_at - ${NOW} AS "leftMs", event.cancelled_at IS NOT NULL AS "isCancelled",
    w.slug AS workspace, coalesce(c.slug, 'test') AS channel, ${SELECT_KEPT}
  FROM event JOIN workspace w ON w.id = event.workspace_id LEFT JOIN channel c ON c.id = event.channel_id
  WHERE event.id = ANY (CAST(:ids AS BIGINT[])) AND (event.channel_id IS NULL OR c.id IS NOT NULL)`;

const NEXT_DUE = `
  SELECT min(due_at) - ${NOW} FROM delivery
  WHERE state = 'pending' AND claim_id IS NULL AND route = :route AND lane = :lane
    AND home IN (0, CAST(:node AS BIGINT)) AND due_at > ${NOW}`;

/** Whoever has a row locked that might be claimed is done with it by then. */
const UNLOCKED_MS = 5;

const FORGET = `DELETE FROM delivery WHERE event_id = ANY (CAST(:ids AS BIGINT[])) AND state = 'pending'`;

/**
 * Claims what goes out next. The claim is committed before its targets are read: what has ended by then is not in it, and
 * what ends later finds the claim.
 */
export function claiming(deps: QueueDeps): (args: ArgsOf<'claimBatches'>) => Promise<AnswerOf<'claimBatches'>> {
  const turns = new Turns();
  /** Claimed, and then lost on the way: they go back before the next claim. */
  const strays: ClaimRow[] = [];

  async function claimParts(asked: ArgsOf<'claimBatches'>): Promise<readonly PartRow[]> {
    const { route, lane, limit, batchSize } = asked;
    const { lastWorkspace, lastEvents, retriesFirst } = turns.next(route, lane);
    const now = deps.now();
    const values = [deps.node, route, lane, limit, batchSize, lastWorkspace, lastEvents, retriesFirst];
    const { rows } = await untilUncrossed(deps, ({ ask }) =>
      ask({ text: CLAIM, values: [...values, now?.wallMs ?? null, now?.steadyMs ?? null] }),
    );
    for (const row of rows as readonly PartRow[]) turns.had(route, lane, row);
    return rows as readonly PartRow[];
  }

  async function releaseStrays(): Promise<void> {
    const lost = strays.splice(0);
    if (lost.length === 0) return;
    await release(deps, lost.map(partOf)).catch((error) => {
      strays.push(...lost);
      throw error;
    });
  }

  return async (asked) => {
    await releaseStrays();
    const rows = await claimParts(asked);
    const parts = rows.filter((row): row is ClaimRow => row.claim_id !== null);
    const ended = rows.flatMap(({ finished: uuid }) => uuid?.toString('hex') ?? []);
    try {
      return await untilUncrossed(deps, async (connection) => {
        const read = parts.length === 0 ? NOTHING : await readParts(connection, deps, asked, parts);
        const isShort = read.claimed.reduce((sum, { targets }) => sum + targets.length, 0) < asked.limit;
        const nextDueInMs = isShort ? await nextDueIn(connection, asked, rows, read) : null;
        const claims = inBatches(read.claimed, asked.batchSize).map((batch) => handOut(asked, batch));
        return { claims, nextDueInMs, finished: [...ended, ...read.finished].map(publicIdOf) };
      });
    } catch (error) {
      strays.push(...parts);
      throw error;
    }
  };

  async function nextDueIn(
    { sql }: Connection,
    { route, lane }: ArgsOf<'claimBatches'>,
    rows: readonly PartRow[],
    { hasEndings }: ReadParts,
  ): Promise<number | null> {
    if (hasEndings || rows.some(({ claim_id, event_id }) => claim_id === null && event_id !== null)) return 0;
    if (rows.some(({ event_id }) => event_id === null)) return UNLOCKED_MS;
    const steadyMs = deps.now()?.steadyMs ?? null;
    return (await sql.value<object, number | null>(NEXT_DUE)({ route, lane, node: deps.node, steadyMs })) ?? null;
  }

  function handOut({ route, lane }: ArgsOf<'claimBatches'>, batch: readonly ClaimedPart[]): Claim {
    const { claimId, order } = deps.held.hold(
      route,
      lane,
      batch.flatMap(({ part, targets }) => targets.map(({ deviceId }) => ({ part, deviceId }))),
    );
    const places = new Map<number, number>();
    const events: ClaimedEvent[] = [];
    const targets: Target[] = [];
    for (const { event, targets: its } of batch) {
      const place = places.get(event.eventId) ?? events.push(event) - 1;
      places.set(event.eventId, place);
      for (const target of its) targets.push({ event: place, ...target });
    }
    return { claimId, order, route, lane, events, targets };
  }
}

type ClaimRow = PartRow & { readonly claim_id: number; readonly event_id: number };
interface ReadParts {
  readonly claimed: readonly ClaimedPart[];
  /** UUIDs, in hex. */
  readonly finished: readonly string[];
  readonly hasEndings: boolean;
}
const NOTHING: ReadParts = { claimed: [], finished: [], hasEndings: false };

/** Whom the parts are for. What is not sent any more is settled here. */
async function readParts(
  connection: Connection,
  deps: QueueDeps,
  { route, lane }: { readonly route: Route; readonly lane: Lane },
  rows: readonly ClaimRow[],
): Promise<ReadParts> {
  const { ask, sql } = connection;
  const asked = rows.map(({ finished: _, workspace_id: __, home: ___, ...row }, place) => ({ ...row, place, route }));
  const targets = (await ask({ text: READ, values: [JSON.stringify(asked)] })).rows as readonly TargetRow[];
  const ids = [...new Set(rows.map(({ event_id }) => event_id))];
  const heads = await sql.all<object, HeadRow>(HEADS)({ ids, steadyMs: deps.now()?.steadyMs ?? null });
  const headOf = new Map(heads.map((head) => [head.id, head]));
  const targetsOf = Map.groupBy(targets, ({ claim_id }) => claim_id);
  const claimed: ClaimedPart[] = [];
  const ended: VerdictLine[] = [];
  const done: HeldPart[] = [];
  for (const row of rows) {
    const head = headOf.get(row.event_id);
    const part = partOf(row);
    if (head) part.channelId = head.channelId;
    const its = head === undefined ? [] : (targetsOf.get(row.claim_id) ?? []);
    const verdicts = its.map((target) => (head === undefined ? null : endOf(target, head)));
    const live = its.filter((_, place) => verdicts[place] === null);
    for (const [place, { device_id: deviceId }] of its.entries()) {
      const verdict = verdicts[place];
      if (verdict) ended.push({ part, route, lane, deviceId, verdict, fitted: false, linksLost: false });
    }
    part.open = live.length;
    if (live.length === 0) done.push(part);
    if (head && live.length > 0) claimed.push({ part, event: claimedEvent(head), targets: live.map(targetOf) });
  }
  const gone = ids.filter((id) => !headOf.has(id));
  if (gone.length > 0) await sql.run<object>(FORGET)({ ids: gone });
  const hasEndings = ended.length > 0 || done.length > 0;
  return { claimed, finished: hasEndings ? await settleLines(connection, deps, ended, done) : [], hasEndings };
}

function partOf({ claim_id, workspace_id, event_id, channel_id, home, from_number, to_number }: ClaimRow): HeldPart {
  return {
    id: claim_id,
    workspaceId: workspace_id,
    eventId: event_id,
    channelId: channel_id,
    home,
    isPage: from_number < to_number,
    open: 0,
  };
}

/** How a push ends that is not sent after all; null: it is sent. */
function endOf({ status, entitled, inactive_reason, token }: TargetRow, head: HeadRow): QueueVerdict | null {
  if (head.isCancelled) return { state: 'withdrawn', reason: 'cancelled' };
  if (head.leftMs <= 0) return { state: 'expired', reason: 'ttl' };
  if (status === 'active' && entitled === true) return null;
  if (status === 'inactive' && entitled === true) {
    return { state: 'unregistered', reason: inactive_reason ?? 'inactive', token, atMs: null };
  }
  return { state: 'withdrawn', reason: status === null ? 'device_removed' : 'unsubscribed' };
}

function targetOf(row: TargetRow): Omit<Target, 'event'> {
  return {
    deviceId: row.device_id,
    token: row.token,
    tokenKind: row.token_kind,
    keys: row.keys,
    attempts: row.attempts,
    wasAccepted: row.was_accepted,
    isSuspect: row.is_suspect,
  };
}

function claimedEvent(head: HeadRow): ClaimedEvent {
  const { id: eventId, workspaceId, channelId, workspace, channel, receivedAtMs, leftMs } = head;
  const publicId = publicIdOf(stringify(head.uuid));
  const event = { publicId, workspace, channel, receivedAtMs, ...keptFields(head) };
  return { eventId, workspaceId, channelId, event, hadLinks: head.hadLinks === 1, leftMs };
}

/** No part is split: each was claimed for the free space of one batch. */
function inBatches(taken: readonly ClaimedPart[], batchSize: number): ClaimedPart[][] {
  const batches: ClaimedPart[][] = [];
  let free = 0;
  for (const each of taken) {
    if (free < each.targets.length) {
      batches.push([]);
      free = batchSize;
    }
    batches.at(-1)?.push(each);
    free -= each.targets.length;
  }
  return batches;
}

interface LaneTurns {
  lastWorkspace: number;
  retriesFirst: boolean;
  readonly lastEvents: Map<number, number>;
}

/** They go to the database with each claim. A workspace that is forgotten begins with its oldest event again. */
const MOST_REMEMBERED = 200;

/** Whose turn it is, by lane: each node gives turns for itself. After a restart they begin anew. */
class Turns {
  readonly #lanes = new Map<string, LaneTurns>();

  next(route: Route, lane: Lane): { lastWorkspace: number; lastEvents: string; retriesFirst: boolean } {
    const turns = this.#of(route, lane);
    turns.retriesFirst = !turns.retriesFirst;
    return { ...turns, lastEvents: JSON.stringify(Object.fromEntries(turns.lastEvents)) };
  }

  had(route: Route, lane: Lane, { claim_id, workspace_id, event_id, from_number, to_number, is_again }: PartRow): void {
    if (event_id === null) return;
    const turns = this.#of(route, lane);
    turns.lastWorkspace = workspace_id;
    const isNewPage = claim_id !== null && from_number < to_number && !is_again;
    if (isNewPage) this.#remember(turns, workspace_id, event_id);
  }

  #remember(turns: LaneTurns, workspaceId: number, eventId: number): void {
    turns.lastEvents.delete(workspaceId);
    turns.lastEvents.set(workspaceId, eventId);
    for (const [longestAgo] of turns.lastEvents) {
      if (turns.lastEvents.size <= MOST_REMEMBERED) return;
      turns.lastEvents.delete(longestAgo);
    }
  }

  #of(route: Route, lane: Lane): LaneTurns {
    const name = `${route} ${lane}`;
    const known = this.#lanes.get(name) ?? { lastWorkspace: 0, retriesFirst: true, lastEvents: new Map() };
    this.#lanes.set(name, known);
    return known;
  }
}
