import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Moved } from '../../src/store/engine-migration/move.ts';
import { InProcessCli as Cli, type CliOptions } from '../support/cli.ts';
import { temporarySchema } from '../support/postgres.ts';
import { Resources } from '../support/resources.ts';
import { populate } from '../support/workspace.ts';

const test = suite('cli: move');

test('A data folder is moved to a database, is used no more until that is undone, and comes back elsewhere.', async () => {
  const cli = new Cli();
  await cli.populate((calls) => populate(calls, {}));
  const url = await temporarySchema();
  const { stdout } = await cli.run(['move', cli.dataDir, url]);
  assert.match(stdout, `Moved ${cli.dataDir} to `);
  assert.match(stdout, /^workspace +1$/m);
  assert.match(stdout, /is left unchanged and is no longer used\. Next: set \[store\] url to that database/);
  assert.match(await cli.failure(1, ['workspace', 'list']), /was moved to .*pushctl move --undo/);
  const there = { env: { PUSHCTL_STORE_URL: url } };
  assert.equal(await slugs(cli, ['workspace', 'list'], there), ['acme']);

  const back = join(cli.folder, 'back');
  const { moved } = await cli.json<{ moved: Moved }>(['move', url, back]);
  assert.is(moved.to, back);
  assert.equal(
    moved.tables.find(({ table }) => table === 'workspace'),
    { table: 'workspace', rows: 1 },
  );
  assert.equal(await slugs(cli, ['workspace', 'list', '--data-dir', back]), ['acme']);
  assert.match(await cli.failure(1, ['serve'], there), `was moved to ${back}`);
  assert.match((await cli.run(['move', '--undo', cli.dataDir])).stdout, 'is used again');
  assert.equal(await cli.json(['move', '--undo', cli.dataDir]), { undone: null });
  await cli.json(['workspace', 'list']);
});

test('Nothing is moved while a server runs, nor without a place to go to, nor to one that is none.', async () => {
  await using opened = new Resources();
  const cli = new Cli('listen = "127.0.0.1:0"');
  const server = cli.start(opened, ['serve']);
  await server.waitFor(/listening/);
  const url = await temporarySchema();
  assert.match(await cli.failure(1, ['move', cli.dataDir, url]), /in use by `pushctl serve`/);
  assert.is(await server.stop(), 0);
  assert.match(await cli.failure(2, ['move', cli.dataDir]), 'the target is missing');
  assert.match(await cli.failure(2, ['move', '--undo', cli.dataDir, url]), '--undo takes only one place');
  assert.match(await cli.failure(2, ['move', cli.dataDir, 'mysql://db/push']), /expected a folder or an address/);
  const refused = await cli.failure(2, ['move', cli.dataDir, 'postgres://me:secret@db.example.com/push']);
  assert.match(refused, /expected sslmode=verify-full/);
  assert.not.match(refused, 'secret');
});

test.run();

async function slugs(cli: Cli, args: readonly string[], options?: CliOptions): Promise<readonly string[]> {
  const { workspaces } = await cli.json<{ workspaces: readonly { slug: string }[] }>(args, options);
  return workspaces.map(({ slug }) => slug);
}
