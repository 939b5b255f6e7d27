import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryStore } from '../support/store.ts';
import { commitsInWal } from '../support/wal.ts';

test('that the database can be written is proved by a write', async () => {
  const { db, calls } = await temporaryStore();
  const before = commitsInWal(`${db.name}-wal`);
  await calls.proveWritable({});
  assert.is(commitsInWal(`${db.name}-wal`), before + 1);
  assert.is((await calls.ping({})).schema, db.pragma('user_version', { simple: true }));
});

test.run();
