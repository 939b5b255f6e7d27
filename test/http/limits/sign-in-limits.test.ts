import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../../src/http/errors.ts';
import { SignInLimits } from '../../../src/http/limits/sign-in-limits.ts';
import { ALONE } from '../../support/counting.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { nodesOver } from '../../support/postgres-nodes.ts';

const MINUTE_MS = 60_000;
const wrong = () => Promise.resolve(null);
const right = () => Promise.resolve('in');

/** Answers `wrong`, `right`, or the code of the refusal. */
async function tryPassword(limits: SignInLimits, from: string, nowMs = 0, guess: () => Promise<string | null> = wrong) {
  const [network = '', email = ''] = from.split(' ');
  try {
    return (await limits.password({ networks: [network], email }, nowMs, guess)) === null ? 'wrong' : 'right';
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error);
  }
}

async function howManyTries(limits: SignInLimits, from: (at: number) => string): Promise<number> {
  for (let at = 0; ; at += 1) if ((await tryPassword(limits, from(at))) !== 'wrong') return at;
}

test('ten failures of one address and email are the most in 15 minutes', async () => {
  const limits = new SignInLimits(ALONE);
  assert.is(await howManyTries(limits, () => '192.0.2.1 ada'), 10);
  assert.is(await tryPassword(limits, '192.0.2.1 ada', 15 * MINUTE_MS), 'sign_in_throttled');
  assert.is(await tryPassword(limits, '192.0.2.1 ada', 15 * MINUTE_MS + 1), 'wrong');
});

test('one address has a hundred over all emails, one email fifty from all addresses', async () => {
  const limits = new SignInLimits(ALONE);
  assert.is(await howManyTries(limits, (at) => `192.0.2.1 user-${at}`), 100);
  assert.is(await howManyTries(limits, (at) => `203.0.113.${at} ada`), 50);
  assert.is(await tryPassword(limits, '198.51.100.1 bob'), 'wrong');
});

test('a wider IPv6 network has four times as many, and the widest sixteen times', async () => {
  const networks = (at: number) => ['2003::/48', `2003:${at % 5}::/56`, `2003:${at}::/64`];
  const limits = new SignInLimits(ALONE);
  let wrongs = 0;
  const isAdmitted = (at: number) =>
    limits.pairingCode(networks(at), 0, wrong).then(
      () => true,
      () => false,
    );
  for (let at = 0; at < 500; at += 5) wrongs += (await isAdmitted(at)) ? 1 : 0;
  assert.is(wrongs, 40, 'in one /56');
  for (let at = 0; at < 500; at += 1) wrongs += (await isAdmitted(at)) ? 1 : 0;
  assert.is(wrongs, 160, 'in the /48');
});

test('what others guess elsewhere keeps nobody out of where they signed in before', async () => {
  const limits = new SignInLimits(ALONE);
  assert.is(await tryPassword(limits, '192.0.2.1 ada', 0, right), 'right');
  assert.is(await howManyTries(limits, (at) => `203.0.113.${at} ada`), 50);
  assert.is(await tryPassword(limits, '198.51.100.1 ada', 0, right), 'sign_in_throttled');
  assert.is(await tryPassword(limits, '192.0.2.1 ada', 0, right), 'right');
  assert.is(await howManyTries(limits, () => '192.0.2.1 ada'), 10);
});

test('neither a right guess nor a refused one counts as a failure', async () => {
  const limits = new SignInLimits(ALONE);
  for (let at = 0; at < 200; at += 1) assert.is(await tryPassword(limits, '192.0.2.1 ada', 0, right), 'right');
  assert.is(await howManyTries(limits, () => '192.0.2.1 ada'), 10);
  for (let at = 0; at < 200; at += 1) await tryPassword(limits, '192.0.2.1 ada');
  assert.is(await tryPassword(limits, '192.0.2.1 bob'), 'wrong');
});

test('guesses made at the same time do not pass together', async () => {
  const limits = new SignInLimits(ALONE);
  const answers = await Promise.all(Array.from({ length: 30 }, () => tryPassword(limits, '192.0.2.1 ada')));
  assert.is(answers.filter((answer) => answer === 'wrong').length, 10);
});

test('a guess that could not be judged is not counted', async () => {
  const limits = new SignInLimits(ALONE);
  const fault = () => Promise.reject(new Error('the disk is full'));
  for (let at = 0; at < 30; at += 1) {
    assert.is(await tryPassword(limits, '192.0.2.1 ada', 0, fault), 'Error: the disk is full');
  }
  assert.is(await tryPassword(limits, '192.0.2.1 ada'), 'wrong');
});

test('pairing codes are counted apart', async () => {
  const limits = new SignInLimits(ALONE);
  assert.is(await howManyTries(limits, () => '192.0.2.1 ada'), 10);
  for (let at = 0; at < 10; at += 1) assert.is(await limits.pairingCode(['192.0.2.1'], 0, wrong), null);
  const refused = await limits.pairingCode(['192.0.2.1'], 0, right).catch((error: ApiError) => error);
  assert.is(refused instanceof ApiError && refused.code, 'pairing_throttled');
  assert.is(await limits.pairingCode(['192.0.2.2'], 0, right), 'in');
});

test('ten failures are the most at all servers together, also of guesses made at the same time', async () => {
  const { servers, close } = await twoServers();
  const from = '192.0.2.1 ada';
  const guesses = Array.from({ length: 30 }, (_, at) => tryPassword(servers[at % 2] ?? servers[0], from));
  assert.is((await Promise.all(guesses)).filter((answer) => answer === 'wrong').length, 10);
  for (const server of servers) assert.is(await tryPassword(server, from, 0, right), 'sign_in_throttled');
  for (const server of servers) assert.is(await tryPassword(server, '192.0.2.1 bob', 0, right), 'right');
  await close();
});

test('neither a right guess at another server nor a refused one counts as a failure', async () => {
  const { servers, close } = await twoServers();
  const [one, other] = servers;
  for (let at = 0; at < 12; at += 1) assert.is(await tryPassword(other, '192.0.2.1 ada', 0, right), 'right');
  assert.is(await howManyTries(one, () => '192.0.2.1 ada'), 10);
  for (let at = 0; at < 60; at += 1) {
    assert.is(await tryPassword(other, '192.0.2.1 ada'), 'sign_in_throttled');
  }
  assert.is(await howManyTries(other, (at) => `203.0.113.${at} ada`), 40);
  await close();
});

test.run();

/** What two servers that share a store count of guesses. */
async function twoServers() {
  const nodes = await nodesOver(await temporarySchema(), 2);
  const [one, other] = nodes.map(({ calls }) => new SignInLimits(calls));
  if (one === undefined || other === undefined) throw new Error('there are two');
  return {
    servers: [one, other] as const,
    close: async () => void (await Promise.all(nodes.map(({ store }) => store.close()))),
  };
}
