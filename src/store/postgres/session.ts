import type pg from 'pg';

/** Statement limits in ms, enforced by the database: duration, and wait for a lock. 0: none. */
interface Bounds {
  readonly statementMs: number;
  readonly lockMs: number;
}

/** How often the database checks that the client still waits. */
const CHECK_MS = 1_000;

/**
 * Limits that a role may set, and that end idle connections or long work. `transaction_timeout` is known from 17 on.
 */
const UNLIMITED = `('idle_session_timeout', 'transaction_timeout')`;

/**
 * Returns a connection's first statements; the last returns its backend. JIT is off: compiling took 140 ms, executing
 * 0.6 ms.
 *
 * Silent peers are noticed after 30 s, hung-up ones at once on some systems
 * (https://www.postgresql.org/docs/current/runtime-config-connection.html). A pooler may apply these settings to
 * another pushctl client's session.
 */
export function beginSession({ statementMs, lockMs }: Bounds): string {
  return `
    SET jit = off; SET statement_timeout = ${statementMs}; SET lock_timeout = ${lockMs};
    SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4;
    SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ${UNLIMITED};
    DO $$ BEGIN
      PERFORM set_config('client_connection_check_interval', '${CHECK_MS}', false);
    EXCEPTION WHEN OTHERS THEN NULL;
    END $$;
    SELECT pid, extract(epoch FROM backend_start)::text AS "startedAt" FROM pg_stat_get_activity(pg_backend_pid())`;
}

/** Ends these backends; returns those that still exist. `$1`: pids, `$2`: start times. */
export const END_BACKENDS = `
  SELECT pid, "startedAt", pg_terminate_backend(pid) FROM unnest($1::int[], $2::text[]) AS given(pid, "startedAt")
  JOIN pg_stat_activity AS now USING (pid) WHERE extract(epoch FROM now.backend_start)::text = given."startedAt"`;

/** Returns a connection's backend; null behind poolers, which invent process ids. */
export function backendOf(answer: unknown, client: pg.ClientBase): Backend | null {
  const { processID } = client as { readonly processID?: unknown };
  const answers: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  const [found] = (answers.at(-1) as { readonly rows?: readonly Partial<Backend>[] } | undefined)?.rows ?? [];
  if (found?.pid === undefined || found.startedAt === undefined || found.pid !== processID) return null;
  return { pid: found.pid, startedAt: found.startedAt };
}

export interface Backend {
  readonly pid: number;
  /** The start time as the database writes it, because pids are reused. */
  readonly startedAt: string;
}

/** Ends existing backends, and returns those. */
type EndBackends = (backends: readonly Backend[]) => Promise<readonly Backend[]>;

const LOOK_EVERY_MS = 1_000;

/**
 * Abandoned connections' backends. They may still execute, and hold locks and a slot: they count until known to be
 * gone.
 */
export class AbandonedBackends {
  readonly #end: EndBackends;
  readonly #onCount: (count: number) => void;
  #left: readonly Backend[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(end: EndBackends, onCount: (count: number) => void) {
    this.#end = end;
    this.#onCount = onCount;
  }

  add(backend: Backend): void {
    this.#keep([...this.#left, backend]);
    this.#timer ??= setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const asked = this.#left;
    // Without the database's answer, all count as still there.
    const found = await this.#end(asked).catch(() => asked);
    const there = new Set(found.map(({ pid }) => pid));
    this.#keep(this.#left.filter((backend) => !asked.includes(backend) || there.has(backend.pid)));
    this.#timer = this.#left.length === 0 ? null : setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  #keep(left: readonly Backend[]): void {
    this.#left = left;
    this.#onCount(left.length);
  }
}
