import { Writable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { entryLine, entryOf } from '../../../src/cli/logs.ts';
import type { LogLine } from '../../../src/host/logs.ts';

const test = suite('cli: logs, a line');
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
