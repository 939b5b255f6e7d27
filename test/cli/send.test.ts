import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageVersion } from '../../src/process/package.ts';
import { Cli } from '../support/cli.ts';
import { answer, hangUp, type ServiceAnswer, type Taken, withService } from '../support/posting-service.ts';

const ENV = { PUSHCTL_API_KEY: 'pctl_test' };
/** So low that no program gets it by chance, and of no service. */
const NOBODYS_PORT = 2;
const EVENT = { public_id: 'evt_01m7yq1whvehx9w1n0h5r0c6ct', target_device_count: 1 };

/** Like `withService`, for the one command that is tested here. */
function withSend(
  answers: readonly ServiceAnswer[],
  use: (send: (...args: string[]) => ReturnType<Cli['run']>) => Promise<void>,
  onRequest?: (request: IncomingMessage) => void,
): Promise<readonly Taken[]> {
  const cli = new Cli();
  const run = (server: string) =>
    use((...args) => cli.run(['send', 'builds', 'Hi', '--server', server, ...args], { env: ENV }));
  return withService(answers, run, onRequest);
}

test('`send` tries again with the same idempotency key, and says so', async () => {
  const busy = answer(503, { message: 'Busy.', code: 'overloaded' }, { 'Retry-After': '1' });
  const proxy = (response: ServerResponse) => void response.writeHead(502, { 'Retry-After': '1' }).end('<html>');
  const taken = await withSend([busy, proxy, answer(202, { event: EVENT })], async (send) => {
    const { exitCode, stdout, stderr } = await send();
    assert.is(exitCode, 0, stderr);
    assert.match(stdout, /^Queued evt_/);
    assert.is(stderr.match(/Trying again in 1 s/g)?.length, 2);
  });
  assert.is(taken.length, 3);
  assert.match(String(taken[0]?.idempotency_key), /^pushctl-/);
  assert.is(new Set(taken.map((event) => event.idempotency_key)).size, 1);
});

test('a key file that is not there is said to be missing, and nothing is sent', async () => {
  const taken = await withSend([], async (send) => {
    const { exitCode, stderr } = await send('--key-file', '/nonexistent.key');
    assert.is(exitCode, 1);
    assert.match(stderr, 'the key file /nonexistent.key does not exist');
  });
  assert.equal(taken, []);
});

test('`send` names its version to the service', async () => {
  const agents: unknown[] = [];
  await withSend(
    [answer(202, { event: EVENT })],
    (send) => send().then(() => {}),
    ({ headers }) => {
      agents.push(headers['user-agent']);
    },
  );
  assert.equal(agents, [`pushctl/${packageVersion()}`]);
});

test('when it happened is sent as it was given', async () => {
  const taken = await withSend([answer(202, { event: EVENT })], async (send) => {
    assert.is((await send('--occurred-at', '2026-11-21T09:30:00+01:00')).exitCode, 0);
  });
  assert.is(taken[0]?.occurred_at, '2026-11-21T09:30:00+01:00');
});

test('pairs for the app are sent as data, and what is no pair is wrong usage', async () => {
  const taken = await withSend([answer(202, { event: EVENT })], async (send) => {
    assert.is((await send('--data', 'order=1842', '--data', 'query=a=b&c=')).exitCode, 0);
    assert.is((await send('--data', 'order')).exitCode, 2);
    const twice = await send('--data', 'order=1', '--data', 'order=2');
    assert.is(twice.exitCode, 2);
    assert.match(twice.stderr, 'The name order is given twice.');
  });
  assert.equal(taken[0]?.data, { order: '1842', query: 'a=b&c=' });
});

test('when it is to be sent is a time, or in how long', async () => {
  const later = answer(202, { event: EVENT });
  const taken = await withSend([later, later], async (send) => {
    const { stdout } = await send('--at', '2999-11-21T09:30:00+01:00');
    assert.match(stdout, 'Scheduled evt_01m7yq1whvehx9w1n0h5r0c6ct for 2999-11-21 08:30:00Z');
    assert.is((await send('--at', '2h')).exitCode, 0);
    assert.is((await send('--at', 'soon')).exitCode, 2);
  });
  assert.is(taken[0]?.send_at, '2999-11-21T09:30:00+01:00');
  const inMs = Date.parse(String(taken[1]?.send_at)) - Date.now();
  assert.ok(inMs > 7_000_000 && inMs <= 7_200_000, String(inMs));
});

test('an event that leaves the alert of others open says so', async () => {
  const left = answer(202, { event: EVENT }, { 'Pushctl-Alert': 'unchanged, needs alerts:write' });
  await withSend([left, answer(202, { event: EVENT })], async (send) => {
    assert.match((await send('--level', 'success', '--collapse-key', 'disk')).stderr, /alert stays open.*alerts:write/);
    assert.is((await send('--level', 'success', '--collapse-key', 'disk')).stderr, '');
  });
});

test('a replay of its own try is not mentioned, one of a given key is, and `--json` reports both', async () => {
  const replay = answer(200, { event: EVENT }, { 'Idempotent-Replayed': 'true', 'Idempotent-Body': 'different' });
  await withSend([replay, replay, replay], async (send) => {
    assert.match((await send()).stdout, /^Queued /);
    const given = await send('--idempotency-key', 'a');
    assert.match(given.stdout, /^Already known: /);
    assert.match(given.stderr, /another body/);
    const document = JSON.parse((await send('--idempotency-key', 'a', '--json')).stdout);
    assert.equal(document, { event: EVENT, replayed: true, body_differs: true });
  });
});

test('an event that would wait too long is left for later: exit 75, with the time', async () => {
  const spent = answer(429, { message: 'The allowance is spent.', code: 'x' }, { 'Retry-After': '86400' });
  await withSend([spent, spent, hangUp], async (send) => {
    const refused = await send();
    assert.is(refused.exitCode, 75);
    assert.is(refused.stderr, 'pushctl: the service answered 429: The allowance is spent. Try again in 86400 s.\n');
    const asJson = await send('--json');
    assert.is(asJson.exitCode, 75);
    assert.equal(JSON.parse(asJson.stdout).error, {
      code: 'x',
      message: 'the service answered 429: The allowance is spent.',
      advice: 'Try again in 86400 s.',
      answer: { message: 'The allowance is spent.', code: 'x' },
    });
    assert.is((await send('--retry-for', '0s')).exitCode, 75);
  });
  const server = ['--server', `http://127.0.0.1:${NOBODYS_PORT}/api`, '--retry-for', '0s'];
  const unreachable = await new Cli().failure(75, ['send', 'builds', 'Hi', ...server], { env: ENV });
  assert.match(unreachable, /no answer from .*ECONNREFUSED/);
});

test.run();
