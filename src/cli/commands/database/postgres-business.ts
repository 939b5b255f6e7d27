import type { Config } from '../../../config/config.ts';
import { OperatorProblem } from '../../../process/problem.ts';

/** Rejects a command for PostgreSQL, which has its own backups: `advice` says how. */
export function refusePostgres({ store }: Config, advice: string): void {
  if (store === null) return;
  throw new OperatorProblem(
    "the data is in PostgreSQL ([store] url), so PostgreSQL's own programs make and restore backups.",
    1,
    { advice: `${advice} https://www.postgresql.org/docs/current/backup.html` },
  );
}
