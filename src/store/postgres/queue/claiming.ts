import { publicIdOf } from '../../../contract/public-id.ts';
import type { AnswerOf, ArgsOf, Claim, ClaimAnswer } from '../../calls.ts';
import { inBatches } from '../../queue/packing.ts';
import type { Connection } from '../connections.ts';
import { makeDeadLetter } from './dead-letters.ts';
import { lendRetrying, type QueueDeps } from './deps.ts';
import { type ClaimRow, NOTHING, type PartRow, type ReadParts, readParts } from './reading.ts';
import { release } from './settling.ts';
import { Turns } from './turns.ts';
import { UnheldClaims } from './unheld-claims.ts';

interface WaitingEvent {
  readonly id: number;
  readonly workspaceId: number;
}

const CLAIM = `
  SELECT claim_id AS id, workspace_id AS "workspaceId", event_id AS "eventId", channel_id AS "channelId", home, from_number AS "from",
    to_number AS "to", is_again AS "isAgain", finished
  FROM claim_parts($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;

/** Selects events with perhaps claimable pushes in a lane. */
const WAITING = `
  SELECT event_id AS id, workspace_id AS "workspaceId" FROM fan_out
  WHERE route = :route AND lane = :lane AND home IN (0, CAST(:node AS BIGINT)) AND is_open
  UNION
  SELECT event_id, workspace_id FROM claim
  WHERE route = :route AND lane = :lane AND home IN (0, CAST(:node AS BIGINT)) AND node_id IS NULL
  UNION
  SELECT event_id, workspace_id FROM delivery
  WHERE route = :route AND lane = :lane AND home IN (0, CAST(:node AS BIGINT)) AND state = 'pending' AND claim_id IS NULL
  ORDER BY id LIMIT :limit`;

const NOW = 'coalesce(CAST(:steadyMs AS BIGINT), (extract(epoch FROM clock_timestamp()) * 1000)::bigint)';

const NEXT_DUE = `
  SELECT min(due_at) - ${NOW} FROM delivery
  WHERE state = 'pending' AND claim_id IS NULL AND route = :route AND lane = :lane
    AND home IN (0, CAST(:node AS BIGINT)) AND due_at > ${NOW}`;

/** Most events claimed singly after an error. */
const EVENTS_AT_ONCE = 200;

/** After this wait, transactions locking a claimable row should have ended. */
const UNLOCKED_MS = 5;

/**
 * Claims the next pushes. The claim is committed before its targets are read: pushes that ended earlier are not in it,
 * and whatever ends a push later finds the claim.
 */
export function claiming(deps: QueueDeps): {
  claimBatches(args: ArgsOf<'claimBatches'>): Promise<AnswerOf<'claimBatches'>>;
  /** Releases, now and then, claims that no request holds. */
  releaseUnheld(): Promise<void>;
} {
  const turns = new Turns();
  /** Claims whose answer failed after the commit, released before the next claim. */
  const strays: PartRow[] = [];
  const unheld = new UnheldClaims(deps);
  const isHeld = (id: number) => deps.held.has(id) || strays.some((stray) => stray.id === id);

  async function claimParts(
    number: number,
    asked: ArgsOf<'claimBatches'>,
    of: WaitingEvent | null,
  ): Promise<readonly ClaimRow[]> {
    const { route, lane, limit, batchSize } = asked;
    const { lastWorkspace, lastEvents, retriesFirst } = turns.next(route, lane);
    const now = deps.now();
    const workspace = of?.workspaceId ?? lastWorkspace;
    const values = [route, lane, limit, batchSize, workspace, lastEvents, retriesFirst, of?.id ?? null];
    const { rows } = await lendRetrying(deps, ({ ask }) =>
      ask({ text: CLAIM, values: [deps.node, number, ...values, now?.wallMs ?? null, now?.steadyMs ?? null] }),
    );
    for (const row of rows as readonly ClaimRow[]) turns.record(route, lane, row);
    return rows as readonly ClaimRow[];
  }

  async function releaseStrays(): Promise<void> {
    await unheld.releaseIfUncertain(isHeld);
    const lost = strays.splice(0);
    if (lost.length === 0) return;
    await release(deps, lost).catch((error) => {
      strays.push(...lost);
      throw error;
    });
  }

  async function claim(asked: ArgsOf<'claimBatches'>, of: WaitingEvent | null = null): Promise<ClaimAnswer> {
    await releaseStrays();
    return unheld.numbered((number) => claimAs(number, asked, of));
  }

  async function claimAs(number: number, asked: ArgsOf<'claimBatches'>, of: WaitingEvent | null): Promise<ClaimAnswer> {
    const rows = await claimParts(number, asked, of);
    const parts = rows.flatMap((row) => claimedPart(row, number) ?? []);
    const ended = rows.flatMap(({ finished: uuid }) => uuid?.toString('hex') ?? []);
    try {
      return await lendRetrying(deps, async (connection) => {
        const read = parts.length === 0 ? NOTHING : await readParts(connection, deps, asked, parts);
        const isShort = read.claimed.reduce((sum, { targets }) => sum + targets.length, 0) < asked.limit;
        const nextDueInMs = isShort ? await nextDueIn(connection, asked, rows, read) : null;
        const claims = inBatches(read.claimed, asked.batchSize).map((taken) =>
          deps.held.handOut(asked.route, asked.lane, taken),
        );
        return { claims, nextDueInMs, finished: [...ended, ...read.finished].map(publicIdOf) };
      });
    } catch (error) {
      strays.push(...parts);
      throw error;
    }
  }

  /** Claims event by event. Throwing ones become dead letters. */
  async function claimCarefully(asked: ArgsOf<'claimBatches'>): Promise<ClaimAnswer> {
    const claims: Claim[] = [];
    const finished: string[] = [];
    let { limit } = asked;
    await releaseStrays();
    for (const event of await waitingEvents(asked)) {
      if (limit === 0) break;
      try {
        const answer = await claim({ ...asked, limit }, event);
        limit -= answer.claims.reduce((sum, { targets }) => sum + targets.length, 0);
        claims.push(...answer.claims);
        finished.push(...answer.finished);
      } catch (error) {
        const lost = strays.filter(({ eventId }) => eventId === event.id).map(({ id }) => id);
        const { route, lane } = asked;
        await makeDeadLetter(deps, { eventId: event.id, workspaceId: event.workspaceId, route, lane }, lost, error);
      }
    }
    return { claims, nextDueInMs: limit > 0 ? 0 : null, finished };
  }

  async function waitingEvents({ route, lane }: ArgsOf<'claimBatches'>): Promise<readonly WaitingEvent[]> {
    const { node } = deps;
    return deps.connections.lend(({ sql }) =>
      sql.all<object, WaitingEvent>(WAITING)({ route, lane, node, limit: EVENTS_AT_ONCE }),
    );
  }

  async function nextDueIn(
    { sql }: Connection,
    { route, lane }: ArgsOf<'claimBatches'>,
    rows: readonly ClaimRow[],
    { hasEndings }: ReadParts,
  ): Promise<number | null> {
    if (hasEndings || rows.some(({ id, eventId }) => id === null && eventId !== null)) return 0;
    if (rows.some(({ eventId }) => eventId === null)) return UNLOCKED_MS;
    const steadyMs = deps.now()?.steadyMs ?? null;
    return (await sql.value<object, number | null>(NEXT_DUE)({ route, lane, node: deps.node, steadyMs })) ?? null;
  }

  return {
    claimBatches: ({ isCareful = false, ...asked }) => (isCareful ? claimCarefully(asked) : claim(asked)),
    releaseUnheld: () => unheld.releaseNowAndThen(isHeld),
  };
}

function claimedPart({ id, eventId, ...row }: ClaimRow, request: number): PartRow | null {
  return id === null || eventId === null ? null : { ...row, id, eventId, request };
}
