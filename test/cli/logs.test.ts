import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { entryLine, entryOf } from '../../src/cli/logs.ts';
import type { LogLine } from '../../src/host/logs.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { Resources } from '../support/resources.ts';

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

const TIME = '2026-11-21T09:30:00.123Z';
const STREAM = new Writable();

function lineFor(document: Readonly<Record<string, unknown>> | string, about: LogLine['about'] = null): string {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return entryLine(entryOf({ text, about }), STREAM);
}

test('Time, level, message, and then the other fields', () => {
  const paused = { level: 40, time: TIME, route: 'fcm', kind: 'off', reason: 'no such file', msg: 'route paused' };
  assert.is(lineFor(paused), '2026-11-21 09:30:00.123Z  warn   route paused  route=fcm kind=off reason="no such file"');
});

test('A request is shown with its method, address and outcome', () => {
  const request = {
    level: 30,
    time: TIME,
    requestId: 'r1',
    method: 'POST',
    route: '/v1/events',
    status: 202,
    durationMs: 4.2,
  };
  assert.is(lineFor(request), '2026-11-21 09:30:00.123Z  info   POST /v1/events  202 in 4.2 ms  requestId=r1');
  assert.match(lineFor({ level: 30, time: TIME, method: null, route: null, status: 400 }), /info {3}request {2}400$/);
});

test('An error is shown by its kind and message, its stack is left to --json', () => {
  const err = { type: 'TypeError', message: 'x is undefined', stack: 'TypeError: x\n    at y' };
  assert.match(
    lineFor({ level: 50, time: TIME, err, msg: 'failed' }),
    /error {2}failed {2}err="TypeError: x is undefined"$/,
  );
});

test('Lines of other programs are shown as well: an error of the process, or a message of systemd', () => {
  const atMs = Date.parse(TIME);
  assert.is(lineFor('pushctl: port taken'), `${' '.repeat(24)}  error  pushctl: port taken`);
  assert.match(
    lineFor('pushctl: port taken', { atMs, level: 30, by: null }),
    /^2026-11-21 09:30:00\.123Z {2}error {2}push/,
  );
  assert.match(lineFor('Started.', { atMs, level: 30, by: 'systemd' }), /info {3}systemd: Started\.$/);
});

test('Nothing in a line can steer the terminal or make a second line of it', () => {
  const line = lineFor({
    level: 30,
    time: TIME,
    msg: 'a\u001b[2Jb\nc',
    'x\u202e': '\u001b]0;t\u0007\n',
    long: 'y'.repeat(900),
  });
  assert.not.match(line, /[\p{C}\p{Zl}]/u);
  assert.ok(line.length < 400);
});

test.run();
