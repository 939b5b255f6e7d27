import { packageVersion } from '../package.ts';
import type { CallName } from './calls.ts';
import type { Db, Handlers, StoreSettings, TransactionHooks } from './handlers.ts';
import { schemaVersion } from './migrations.ts';
import { queue } from './queue/queue.ts';

/** Every call of the store, from the module of its noun. */
export function assembleHandlers(
  db: Db,
  _settings: StoreSettings,
  hooks: TransactionHooks,
): Partial<Handlers<CallName>> {
  return {
    ...health(db),
    ...queue(db, hooks),
  };
}

function health(db: Db): Handlers<'ping'> {
  const version = packageVersion();
  return { ping: () => ({ version, schema: schemaVersion(db) }) };
}
