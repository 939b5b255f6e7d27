import type pg from 'pg';
import type { Backend } from './abandoned.ts';

/** Of a statement, in ms: the database ends what takes longer, and what waits longer for a lock. 0: without end. */
export interface Bounds {
  readonly statementMs: number;
  readonly lockMs: number;
}

/** So soon the database finds out that no client waits for an answer any more. */
const CHECK_MS = 1_000;

/**
 * What a connection begins with. Compiling a statement of ours takes longer than carrying it out: 140 ms for one of 0.6.
 * A peer that is gone without a word is noticed after half a minute, by a system that sees at once when it has hung up
 * (https://www.postgresql.org/docs/current/runtime-config-connection.html). Behind a pooler all of this may be another
 * client's, which is one of ours as well. Answers who serves it, in its last row.
 */
export function beginSession({ statementMs, lockMs }: Bounds): string {
  return `
    SET jit = off; SET statement_timeout = ${statementMs}; SET lock_timeout = ${lockMs};
    SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4;
    DO $$ BEGIN
      PERFORM set_config('client_connection_check_interval', '${CHECK_MS}', false);
    EXCEPTION WHEN OTHERS THEN NULL;
    END $$;
    SELECT pid, extract(epoch FROM backend_start)::text AS "startedAt" FROM pg_stat_get_activity(pg_backend_pid())`;
}

/** Ends each of them; those that are gone are not in the answer. `$1`: pids, `$2`: when they were started. */
export const END_BACKENDS = `
  SELECT pid, "startedAt", pg_terminate_backend(pid) FROM unnest($1::int[], $2::text[]) AS given(pid, "startedAt")
  JOIN pg_stat_activity AS now USING (pid) WHERE extract(epoch FROM now.backend_start)::text = given."startedAt"`;

/** A pooler makes numbers of its own: whose backend that is, is its business. */
export function backendOf(answer: unknown, client: pg.ClientBase): Backend | null {
  const { processID } = client as { readonly processID?: unknown };
  const answers: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  const [found] = (answers.at(-1) as { readonly rows?: readonly Partial<Backend>[] } | undefined)?.rows ?? [];
  if (found?.pid === undefined || found.startedAt === undefined || found.pid !== processID) return null;
  return { pid: found.pid, startedAt: found.startedAt };
}
