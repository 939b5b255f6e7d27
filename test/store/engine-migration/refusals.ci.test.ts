import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { move, undoMove } from '../../../src/store/engine-migration/move.ts';
import { startDatabaseProxy } from '../../support/database-proxy.ts';
import { fill, withSmallDisk } from '../../support/disk.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { aFilledFolder, inFolder, look } from '../../support/moving.ts';
import { clusterFolder, temporarySchema } from '../../support/postgres.ts';
import { aNode } from '../../support/postgres-nodes.ts';
import { problemIn } from '../../support/problem.ts';
import { NOW_MS } from '../../support/store.ts';

const wallMs = NOW_MS;

test('A target that is not empty is refused, in both directions, and stays as it is.', async () => {
  const folder = await aFilledFolder();
  const url = await temporarySchema();
  await move({ from: { folder }, to: { url }, wallMs });
  const other = await aFilledFolder();
  assert.match(
    (await problemIn(move({ from: { folder: other }, to: { url }, wallMs }))).message,
    /is not empty: its table .* has rows/,
  );
  assert.match(
    (await problemIn(move({ from: { url }, to: { folder: other }, wallMs }))).message,
    /has a database already/,
  );
  await inFolder(other, NOW_MS, async () => {});
  await aNode({ url }).then(({ store }) => store.close());
});

test('Nothing is moved beside a server: neither from nor to a folder or a database that one uses.', async () => {
  const folder = await aFilledFolder();
  const url = await temporarySchema();
  const node = await aNode({ url, node: 'alpha' });
  const inUse = /is in use by the server on alpha\. Stop every server/;
  assert.match((await problemIn(move({ from: { folder }, to: { url }, wallMs }))).message, inUse);
  assert.match((await problemIn(move({ from: { url }, to: { folder: temporaryFolder() }, wallMs }))).message, inUse);
  await node.store.close();
  await inFolder(folder, NOW_MS, async () => {
    assert.match((await problemIn(move({ from: { folder }, to: { url }, wallMs }))).message, 'is in use by');
    assert.match((await problemIn(move({ from: { url }, to: { folder }, wallMs }))).message, 'is in use by');
  });
});

test('A move that is broken off leaves its target empty and its source in use.', async () => {
  const folder = await aFilledFolder();
  const url = await temporarySchema();
  const to = join(temporaryFolder(), 'to');
  const onProgress = ({ table }: { table: string }) => {
    if (table === 'delivery') throw new Error('broken off');
  };
  for (const [from, target] of [
    [{ folder }, { url }],
    [{ url }, { folder: to }],
  ] as const) {
    const broken = await move({ from, to: target, wallMs, onProgress }).catch((error: Error) => error.message);
    assert.is(broken, 'broken off');
    if ('folder' in target) assert.equal(readdirSync(to), ['owner.lock']);
    if ('folder' in from) await inFolder(folder, NOW_MS, async () => {});
    else await aNode({ url }).then(({ store }) => store.close());
    if ('url' in target) await move({ from, to: target, wallMs });
  }
});

test('Rows that the target cannot hold are reported, and nothing of them is left there.', async () => {
  const folder = await aFilledFolder();
  const url = await temporarySchema();
  look(folder, (db) => db.exec('PRAGMA foreign_keys = OFF; UPDATE member SET user_id = 99 WHERE user_id = 1'));
  const { message } = await problemIn(move({ from: { folder }, to: { url }, wallMs }));
  assert.match(message, /violates foreign key constraint/);
  await move({ from: { folder: await aFilledFolder() }, to: { url }, wallMs });
});

test('A disk that fills up meanwhile is reported, and the source stays in use.', () =>
  withSmallDisk(4_096, async (disk) => {
    const url = await temporarySchema();
    await move({ from: { folder: await aFilledFolder() }, to: { url }, wallMs });
    const folder = join(disk, 'data');
    const onProgress = ({ table }: { table: string }) => table === 'device' && fill(join(disk, 'other'));
    const { message } = await problemIn(move({ from: { url }, to: { folder }, wallMs, onProgress }));
    assert.match(message, `there is no space left for ${folder}`);
    rmSync(join(disk, 'other'));
    await move({ from: { url }, to: { folder }, wallMs });
  }));

test('A database that a newer pushctl made is not moved, as this version does not know its contents.', async () => {
  const url = await temporarySchema();
  const { store } = await aNode({ url });
  await store.connections.lend(({ execute }) => execute('UPDATE pushctl_schema SET version = version + 1'));
  await store.close();
  const unknown = /does not know all its tables\. Move it with the newer pushctl/;
  assert.match((await problemIn(move({ from: { url }, to: { folder: temporaryFolder() }, wallMs }))).message, unknown);
  assert.match(
    (await problemIn(move({ from: { folder: await aFilledFolder() }, to: { url }, wallMs }))).message,
    unknown,
  );
});

test('If the connection is lost during the commit, the source is not used until an operator has looked.', async () => {
  const proxy = await startDatabaseProxy(await clusterFolder());
  const direct = await temporarySchema();
  const url = proxy.url(new URL(direct).searchParams.get('options') ?? '');
  const folder = await aFilledFolder();
  // Migrations commit before.
  const onProgress = () => proxy.loseAnswerTo('COMMIT');
  const there = await problemIn(move({ from: { folder }, to: { url }, wallMs, onProgress }));
  assert.match(there.message, /lost during the commit.*unknown whether everything was moved.*pushctl move --undo/);
  assert.match((await problemIn(inFolder(folder, NOW_MS, async () => {}))).message, /was moved to/);

  const to = join(temporaryFolder(), 'to');
  const back = await problemIn(move({ from: { url }, to: { folder: to }, wallMs, onProgress }));
  assert.match(back.message, /lost during the commit.*may be marked as moved, but it was not moved/);
  assert.equal(readdirSync(to), ['owner.lock']);
  assert.is((await undoMove({ url: direct }))?.place, to);
  await move({ from: { url: direct }, to: { folder: to }, wallMs });
  await proxy.close();
});

test('Nothing is moved between two databases, out of nothing, or to the same folder.', async () => {
  const [folder, url] = [temporaryFolder(), await temporarySchema()];
  assert.match((await problemIn(move({ from: { folder }, to: { folder }, wallMs }))).message, /there is no database/);
  const filled = await aFilledFolder();
  assert.match((await problemIn(move({ from: { folder: filled }, to: { folder: filled }, wallMs }))).message, /in use/);
  await inFolder(filled, NOW_MS, async () => {});
  assert.match((await problemIn(move({ from: { url }, to: { url }, wallMs }))).message, /pg_dump/);
  assert.match((await problemIn(move({ from: { url }, to: { folder }, wallMs }))).message, /has no data of pushctl/);
  assert.match((await problemIn(move({ from: { folder }, to: { url }, wallMs }))).message, /there is no database/);
});

test.run();
