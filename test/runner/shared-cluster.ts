import { mkdirSync, readFileSync } from 'node:fs';
import { CLUSTER_FOLDER } from '../support/cluster-folder.ts';
import { type Cluster, startCluster } from '../support/postgres-cluster.ts';

/** One PostgreSQL for all test files that ask for one. */
export interface SharedCluster {
  /** Returns the environment for the file at this path. The first file that needs the cluster waits for its start. */
  environmentOf(path: string): Promise<NodeJS.ProcessEnv>;
  stop(): Promise<void>;
}

/** Imports that lead to a database: test/support/postgres.ts, by itself or through the engines. */
const ASKS_FOR_IT = /\/support\/(?:engines|postgres)\.js'/;

/** No test looks at what autovacuum does in it, nor follows it as a standby. */
const SETTINGS = { autovacuum: 'off', wal_level: 'minimal', max_wal_senders: '0' };

/** `folder`: its own, made when it is needed. */
export function sharedCluster(folder: string): SharedCluster {
  let starting: Promise<Cluster | null> | undefined;

  async function start(): Promise<Cluster | null> {
    mkdirSync(folder);
    try {
      return await startCluster(folder, SETTINGS);
    } catch {
      // Each file that needs one tries by itself then, and says why there is none.
      return null;
    }
  }

  return {
    async environmentOf(path) {
      if (!ASKS_FOR_IT.test(readFileSync(path, 'utf8'))) return {};
      starting ??= start();
      const cluster = await starting;
      return cluster === null ? {} : { [CLUSTER_FOLDER]: cluster.folder };
    },
    stop: async () => (await starting)?.stop(),
  };
}
