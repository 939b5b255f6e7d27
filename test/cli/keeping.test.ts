import { statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Workspace } from '../../src/store/calls.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { Opened } from '../support/opened.ts';

const test = suite('cli: backup, restore, migrate');

async function slugs(cli: Cli): Promise<readonly string[]> {
  const { workspaces } = await cli.json<{ workspaces: readonly Workspace[] }>(['workspace', 'list']);
  return workspaces.map(({ slug }) => slug);
}

test('A backup is made while the server runs; it is restored once that has stopped.', async () => {
  await using opened = new Opened();
  const cli = new Cli('listen = "127.0.0.1:0"');
  const file = join(cli.folder, 'backup.db');
  const server = cli.start(opened, ['serve']);
  await server.waitFor(/listening/);
  await cli.json(['workspace', 'create', 'acme']);
  const { stdout } = await cli.run(['backup', file]);
  assert.match(stdout, /^Wrote .*backup\.db: \d+ KiB, 0 events, checked\.$/m);
  assert.is(statSync(file).mode & 0o777, 0o600);
  const key = await cli.json(['webpush', 'key']);
  await cli.json(['workspace', 'create', 'younger']);
  assert.match(await cli.failure(1, ['restore', file]), /in use by `pushctl serve`/);
  assert.is(await server.stop(), 0);

  const { restored } = await cli.json<{ restored: { kept: string } }>(['restore', file]);
  assert.ok(statSync(restored.kept).size > 0);
  assert.equal(await slugs(cli), ['acme']);
  assert.equal(await cli.json(['webpush', 'key']), key);
  assert.match(await cli.failure(1, ['backup', file]), 'exists already');
});

test('A database of this version needs no migration, and a dry run says so also while the server runs.', async () => {
  await using opened = new Opened();
  const cli = new Cli('listen = "127.0.0.1:0"');
  assert.match(await cli.failure(1, ['migrate', '--dry-run']), 'there is no database');
  await cli.json(['workspace', 'create', 'acme']);
  assert.equal(await cli.json(['migrate']), { upgraded: null });
  const server = cli.start(opened, ['serve']);
  await server.waitFor(/listening/);
  const { plan } = await cli.json<{ plan: { migrations: unknown[] } }>(['migrate', '--dry-run']);
  assert.equal(plan.migrations, []);
  assert.match((await cli.run(['migrate', '--dry-run'])).stdout, 'Nothing to do.');
  assert.match(await cli.failure(1, ['migrate']), 'in use by');
  assert.is(await server.stop(), 0);
});

test.run();
