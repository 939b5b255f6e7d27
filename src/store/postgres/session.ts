import type pg from 'pg';
import type { Backend } from './abandoned.ts';

/** Limits of a statement in ms, enforced by the database: its duration, and its wait for a lock. 0: no limit. */
export interface Bounds {
  readonly statementMs: number;
  readonly lockMs: number;
}

/** The interval at which the database checks that the client still waits for the answer. */
const CHECK_MS = 1_000;

/**
 * Returns the first statements of a connection; the last one returns its backend. JIT is off: compiling a statement
 * took 140 ms, executing it 0.6 ms.
 *
 * The database notices a silent peer after half a minute. If the peer hung up, some systems notice at once
 * (https://www.postgresql.org/docs/current/runtime-config-connection.html). Behind a pooler these settings may end up
 * on the session of another client, which is also pushctl.
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

/** Ends these backends; the answer has only those that still exist. `$1`: pids, `$2`: start times. */
export const END_BACKENDS = `
  SELECT pid, "startedAt", pg_terminate_backend(pid) FROM unnest($1::int[], $2::text[]) AS given(pid, "startedAt")
  JOIN pg_stat_activity AS now USING (pid) WHERE extract(epoch FROM now.backend_start)::text = given."startedAt"`;

/** Returns the backend of a connection. A pooler invents process ids, so its connections have none (null). */
export function backendOf(answer: unknown, client: pg.ClientBase): Backend | null {
  const { processID } = client as { readonly processID?: unknown };
  const answers: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  const [found] = (answers.at(-1) as { readonly rows?: readonly Partial<Backend>[] } | undefined)?.rows ?? [];
  if (found?.pid === undefined || found.startedAt === undefined || found.pid !== processID) return null;
  return { pid: found.pid, startedAt: found.startedAt };
}
