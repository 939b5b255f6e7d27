import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, configuredRoutes } from '../config.ts';
import type { StoreClient } from '../store/calls.ts';
import { createCommitter } from '../store/committer.ts';
import { openDatabase } from '../store/database.ts';
import { migrate } from '../store/migrations.ts';
import { clientOver, type Reply } from '../store/reply.ts';
import { assembleHandlers } from '../store/store.ts';

/** The store of the configured data folder. */
export async function openStoreOf(config: Config): Promise<StoreClient> {
  const settings = {
    routes: configuredRoutes(config),
    ttlMs: config.delivery.ttlMs,
    eventsRetentionMs: config.retention.eventsMs,
    deliveriesRetentionMs: config.retention.deliveriesMs,
  };
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const db = openDatabase(join(config.dataDir, 'pushctl.db'));
  migrate(db);
  const committer = createCommitter(db, (hooks) => assembleHandlers(db, settings, hooks));
  return clientOver(
    async (call) => committer.run([call])[0] as Reply,
    async () => void db.close(),
  );
}
