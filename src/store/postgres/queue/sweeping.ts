import { publicIdOf } from '../../../contract/public-id.ts';
import type { AnswerOf } from '../../calls.ts';
import type { Connection } from '../connections.ts';
import { type QueueDeps, untilUncrossed } from './deps.ts';

const OVERDUE = `
  SELECT * FROM overdue_events($1, $2, coalesce($3, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)) AS id`;

const END = `
  SELECT encode(finished, 'hex') AS finished, left_over FROM (
    SELECT coalesce($4, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS wall_ms
  ) AS clock, end_event($1, $2, $3, wall_ms, coalesce($5, wall_ms))`;

/** Fan-outs and retries that one call may end without a send. */
export const ENDINGS_PER_CALL = 200;
/** Events that one call may look at. */
const EVENTS_PER_CALL = 200;

/**
 * Ends the pushes of events that are not sent any more, on routes that nothing is claimed from: paused ones, and those of
 * suspended workspaces. Claimed pushes are skipped: they end when they are settled, or in the next round.
 */
export function sweeping(deps: QueueDeps): () => Promise<AnswerOf<'expireOverdue'>> {
  let passed = 0;

  return async () => {
    const steadyMs = deps.now()?.steadyMs ?? null;
    const finished: string[] = [];
    const overdue = await deps.connections.lend(async ({ ask }) => {
      const { rows } = await ask({ text: OVERDUE, values: [passed, EVENTS_PER_CALL, steadyMs] });
      return rows as readonly { readonly id: number }[];
    });
    let left = ENDINGS_PER_CALL;
    for (const { id } of overdue) {
      const ended = await untilUncrossed(deps, (connection) => endEvent(connection, deps, id, left));
      left -= ended.endings;
      if (ended.uuid !== null) finished.push(publicIdOf(ended.uuid));
      if (ended.isLeft || left <= 0) return { finished, more: true };
      passed = id;
    }
    if (overdue.length < EVENTS_PER_CALL) passed = 0;
    return { finished, more: passed !== 0 };
  };
}

/** Ends what waits of one event, and up to `most` of its retries. `uuid`, in hex: nothing of it is pending any more. */
export async function endEvent(
  { ask }: Pick<Connection, 'ask'>,
  { node, now }: Pick<QueueDeps, 'node' | 'now'>,
  id: number,
  most: number,
): Promise<{ readonly uuid: string | null; readonly endings: number; readonly isLeft: boolean }> {
  const moment = now();
  const { rows } = await ask({ text: END, values: [id, most, node, moment?.wallMs ?? null, moment?.steadyMs ?? null] });
  const [ended] = rows as readonly { readonly finished: string | null; readonly left_over: boolean }[];
  const isLeft = ended?.left_over ?? false;
  return { uuid: ended?.finished ?? null, endings: isLeft ? most : 1, isLeft };
}
