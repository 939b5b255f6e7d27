import { UNFINISHED } from '../../handlers/events/states.ts';
import { bringBack } from './dead-letters.ts';
import type { QueueDeps } from './deps.ts';

const NOW = 'coalesce(CAST(:steadyMs AS BIGINT), (extract(epoch FROM clock_timestamp()) * 1000)::bigint)';

const BRING_FORWARD = `
  UPDATE delivery SET due_at = ${NOW} + :longestWaitMs
  WHERE state = 'pending' AND claim_id IS NULL AND due_at > ${NOW} + :longestWaitMs`;

const LIFE_MS = 'least(coalesce(expires_in * 1000, CAST(:ttlMs AS BIGINT)), CAST(:ttlMs AS BIGINT))';

const CUT_SHORT = `
  UPDATE event SET expires_at = ${NOW} + ${LIFE_MS}
  WHERE expires_at > ${NOW} + ${LIFE_MS}
    AND ${UNFINISHED}`;

/**
 * Takes up the queue: dead letters come back, as this version may do better. And should the database's clock have
 * been set back, nothing waits for longer than the longest wait, nor lives longer than a new event would.
 */
export async function resume(deps: QueueDeps): Promise<void> {
  const { connections, settings, now } = deps;
  const { ttlMs, longestWaitMs } = settings;
  const steadyMs = now()?.steadyMs ?? null;
  await connections.transaction('long write', ({ sql }) => bringBack(sql));
  await connections.transaction('long write', ({ sql }) => sql.run<object>(CUT_SHORT)({ steadyMs, ttlMs }));
  await connections.transaction('long write', ({ sql }) => sql.run<object>(BRING_FORWARD)({ steadyMs, longestWaitMs }));
}
