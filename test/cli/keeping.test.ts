import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Workspace } from '../../src/store/calls.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { withSmallDisk } from '../support/disk.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';

const test = suite('cli: backup, restore, migrate');

async function slugs(cli: Cli): Promise<readonly string[]> {
  const { workspaces } = await cli.json<{ workspaces: readonly Workspace[] }>(['workspace', 'list']);
  return workspaces.map(({ slug }) => slug);
}

test('A backup is made while the server runs; it is restored once that has stopped.', async () => {
  await using opened = new Resources();
  const cli = new Cli('listen = "127.0.0.1:0"');
  const file = join(cli.folder, 'backup.db');
  const server = cli.start(opened, ['serve']);
  await server.waitFor(/listening/);
  await cli.json(['workspace', 'create', 'acme']);
  const { stdout } = await cli.run(['backup', file]);
  assert.match(stdout, /^Wrote .*backup\.db: \d+ KiB, 1 workspace, 0 devices, 0 events, checked\.$/m);
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
  await using opened = new Resources();
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

test('A backup to standard output goes with nothing else that would go there, or beside it.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme']);
  for (const more of ['--json', '--with-config']) assert.is((await cli.run(['backup', '-', more])).exitCode, 2, more);
});

test('The configuration is written beside a backup on request.', async () => {
  const cli = new Cli('listen = "127.0.0.1:0" # secret');
  await cli.json(['workspace', 'create', 'acme']);
  const file = join(cli.folder, 'backup.db');
  await cli.json(['backup', file]);
  assert.not(existsSync(`${file}.toml`));
  assert.match(await cli.failure(1, ['backup', file, '--with-config']), 'exists already');
  assert.not(existsSync(`${file}.toml`));
  const second = join(cli.folder, 'second.db');
  const { backup } = await cli.json<{ backup: { config: string } }>(['backup', second, '--with-config']);
  assert.is(backup.config, `${second}.toml`);
  assert.is(readFileSync(backup.config, 'utf8'), 'listen = "127.0.0.1:0" # secret');
  assert.is(statSync(backup.config).mode & 0o777, 0o600);
  rmSync(second);
  assert.match(await cli.failure(1, ['backup', second, '--with-config']), 'second.db.toml exists already');
});

test('A backup beside which the configuration cannot be written is the last one all the same.', async () => {
  await withSmallDisk(4_096, async (disk) => {
    const cli = new Cli(`listen = "127.0.0.1:0"\n# ${'x'.repeat(8 * 1024 * 1024)}`);
    await cli.json(['workspace', 'create', 'acme']);
    const file = join(disk, 'backup.db');
    assert.match(await cli.failure(1, ['backup', file, '--with-config']), 'the backup was written, but');
    assert.equal(readdirSync(disk), ['backup.db']);
    assert.match((await cli.run(['status'])).stdout, file);
  });
});

test('A drill restores a backup, counts it, and leaves everything as it was; a damaged one is refused.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme']);
  const file = join(cli.folder, 'backup.db');
  await cli.json(['backup', file]);
  const [names, before] = [readdirSync(cli.folder), readFileSync(file)];
  const scratch = temporaryFolder();
  const env = { TMPDIR: scratch };
  const { drilled } = await cli.json<{ drilled: object }>(['restore', '--drill', file], { env });
  assert.equal({ ...drilled, schema: 0 }, { schema: 0, workspaces: 1, devices: 0, events: 0 });
  assert.match(
    (await cli.run(['restore', '--drill', file])).stdout,
    'can be restored: 1 workspace, 0 devices, 0 events.',
  );
  assert.is(await cli.failure(2, ['restore', '--drill', '--resend', file]).then(() => 'refused'), 'refused');
  truncateSync(file, before.length - 8_192);
  assert.match(await cli.failure(1, ['restore', '--drill', file], { env }), 'is damaged');
  assert.match(await cli.failure(1, ['restore', '--drill', `${file}.none`]), 'there is no file');
  assert.equal([readdirSync(cli.folder), readdirSync(scratch)], [names, []]);
});

test.run();
