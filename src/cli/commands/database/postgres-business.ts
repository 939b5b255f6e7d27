import type { Config } from '../../../config/config.ts';
import { OperatorProblem } from '../../../process/problem.ts';

/** PostgreSQL makes and restores backups of all that is in it: `advice` says how. */
export function refusePostgres({ store }: Config, advice: string): void {
  if (store === null) return;
  throw new OperatorProblem(
    "the data is in PostgreSQL ([store] url), whose backups are its own programs' business.",
    1,
    { advice: `${advice} https://www.postgresql.org/docs/current/backup.html` },
  );
}
