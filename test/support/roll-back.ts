import type { CallRequest } from '../../src/store/reply.ts';
import { fails } from './store.ts';
import type { SqliteWorld } from './world.ts';

/** Carries out the calls in a transaction that fails at its end. */
export async function rollBack(store: SqliteWorld, calls: readonly CallRequest[]): Promise<void> {
  store.db.exec(`
    CREATE TABLE IF NOT EXISTS orphan (parent INTEGER REFERENCES workspace DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER orphaned AFTER INSERT ON channel BEGIN INSERT INTO orphan VALUES (-1); END`);
  await fails(store.group([...calls, { name: 'createChannel', args: { workspace: 'acme', slug: 'broken' } }]));
  store.db.exec('DROP TRIGGER orphaned');
}
