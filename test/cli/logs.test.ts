import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { InProcessCli as Cli } from '../support/cli.ts';
import { Resources } from '../support/resources.ts';

const test = suite('cli: logs');

function lineAt(agoMs: number, level: number, msg: string): string {
  return JSON.stringify({ level, time: new Date(Date.now() - agoMs).toISOString(), msg });
}

const LOG = [
  lineAt(7_200_000, 30, 'listening'),
  lineAt(7_100_000, 50, 'an old fault'),
  '    at its.place',
  lineAt(60_000, 40, 'route paused'),
  lineAt(50_000, 30, 'stopped'),
  '',
].join('\n');

test('A file is shown readable, and by --since and --level less of it.', async () => {
  const cli = new Cli();
  const file = join(cli.folder, 'server.log');
  writeFileSync(file, LOG);
  const shown = async (...options: readonly string[]) => {
    const { exitCode, stdout, stderr } = await cli.run(['logs', file, ...options]);
    assert.equal([exitCode, stderr], [0, '']);
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => line.slice(26));
  };
  const all = [
    'info   listening',
    'error  an old fault',
    'error      at its.place',
    'warn   route paused',
    'info   stopped',
  ];
  assert.equal(await shown(), all);
  assert.equal(await shown('--since', '1h'), all.slice(3));
  assert.equal(await shown('--level', 'warn'), all.slice(1, 4));
});

test('From standard input, and with --json, each line is the document that it was.', async () => {
  const cli = new Cli();
  const { stdout } = await cli.run(['logs', '-', '--json', '--level', 'error'], { input: LOG });
  const [fault = '', place = ''] = stdout.split('\n');
  assert.is(fault, LOG.split('\n')[1]);
  assert.equal(JSON.parse(place), { level: 50, msg: '    at its.place' });
});

test('A file is followed, even if it is created again', async () => {
  await using opened = new Resources();
  const cli = new Cli();
  const file = join(cli.folder, 'server.log');
  writeFileSync(file, LOG);
  const following = cli.start(opened, ['logs', file, '--follow']);
  await following.waitFor(/stopped/);
  renameSync(file, `${file}.1`);
  writeFileSync(file, `${lineAt(0, 30, 'listening again')}\n`);
  await following.waitFor(/listening again/);
  assert.is(await following.stop('SIGINT'), 0);
});

test('Unreadable files are reported with what to do.', async () => {
  const cli = new Cli();
  mkdirSync(join(cli.folder, 'folder'));
  assert.match(await cli.failure(1, ['logs', join(cli.folder, 'none.log')]), /the file does not exist/);
  assert.match(await cli.failure(1, ['logs', join(cli.folder, 'folder')]), /is a folder/);
  assert.match(await cli.failure(2, ['logs', '--level', 'loud']), /Allowed choices are debug, info, warn, error/);
});

test.run();
