import type { Config } from '../../config/config.ts';
import { databaseOf } from '../../config/database.ts';
import type { Finding } from '../../host/doctor/finding.ts';
import { databaseProblem, postgresFindings } from '../../host/doctor/postgres.ts';
import { OperatorProblem } from '../../problem.ts';
import { inspectPostgres } from '../../store/postgres/inspection.ts';
import { readStoredStatus } from '../../store/postgres/status-offline.ts';
import type { StoredStatus } from '../../store/stored-status.ts';
import { type NodeDocument, nodeDocument } from '../output/node-table.ts';

/** The database that several servers share, as `status` tells of it. */
export interface SharedDatabase {
  /** `host:port/database`. */
  readonly place: string;
  /** Of PostgreSQL. */
  readonly version: string;
  readonly nodes: readonly NodeDocument[];
}

export interface ReadDatabase {
  /** Null: it cannot be reached. */
  readonly database: SharedDatabase | null;
  /** Null: there is nothing in it, or it cannot be read. */
  readonly known: StoredStatus | null;
  readonly findings: readonly Finding[];
}

/** Whether notices arrive is left to `doctor`, as that may take a while. */
export async function readSharedDatabase(config: Config): Promise<ReadDatabase> {
  try {
    const { url } = databaseOf(config) ?? { url: '' };
    const found = await inspectPostgres({ url });
    const { place, version, nodes } = found;
    return {
      database: { place, version, nodes: nodes.map(nodeDocument) },
      known: await readStoredStatus(url),
      findings: postgresFindings(found),
    };
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    return { database: null, known: null, findings: [databaseProblem(error)] };
  }
}
