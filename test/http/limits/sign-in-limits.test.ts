import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../../src/http/errors.ts';
import { SignInLimits } from '../../../src/http/limits/sign-in-limits.ts';

const MINUTE_MS = 60_000;
const wrong = () => Promise.resolve(null);
const right = () => Promise.resolve('in');

/** Answers `wrong`, `right`, or the code of the refusal. */
async function tryPassword(limits: SignInLimits, from: string, nowMs = 0, guess: () => Promise<string | null> = wrong) {
  const [network = '', email = ''] = from.split(' ');
  try {
    return (await limits.password({ network, email }, nowMs, guess)) === null ? 'wrong' : 'right';
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error);
  }
}

async function howManyTries(limits: SignInLimits, from: (at: number) => string): Promise<number> {
  for (let at = 0; ; at += 1) if ((await tryPassword(limits, from(at))) !== 'wrong') return at;
}

test('ten failures of one address and email are the most in 15 minutes', async () => {
  const limits = new SignInLimits();
  assert.is(await howManyTries(limits, () => '192.0.2.1 ada'), 10);
  assert.is(await tryPassword(limits, '192.0.2.1 ada', 15 * MINUTE_MS), 'sign_in_throttled');
  assert.is(await tryPassword(limits, '192.0.2.1 ada', 15 * MINUTE_MS + 1), 'wrong');
});

test('one address has a hundred over all emails, one email fifty from all addresses', async () => {
  const limits = new SignInLimits();
  assert.is(await howManyTries(limits, (at) => `192.0.2.1 user-${at}`), 100);
  assert.is(await howManyTries(limits, (at) => `203.0.113.${at} ada`), 50);
  assert.is(await tryPassword(limits, '198.51.100.1 bob'), 'wrong');
});

test('neither a right guess nor a refused one counts as a failure', async () => {
  const limits = new SignInLimits();
  for (let at = 0; at < 200; at += 1) assert.is(await tryPassword(limits, '192.0.2.1 ada', 0, right), 'right');
  assert.is(await howManyTries(limits, () => '192.0.2.1 ada'), 10);
  for (let at = 0; at < 200; at += 1) await tryPassword(limits, '192.0.2.1 ada');
  assert.is(await tryPassword(limits, '192.0.2.1 bob'), 'wrong');
});

test('guesses made at the same time do not pass together', async () => {
  const limits = new SignInLimits();
  const answers = await Promise.all(Array.from({ length: 30 }, () => tryPassword(limits, '192.0.2.1 ada')));
  assert.is(answers.filter((answer) => answer === 'wrong').length, 10);
});

test('a guess that could not be judged is not counted', async () => {
  const limits = new SignInLimits();
  const fault = () => Promise.reject(new Error('the disk is full'));
  for (let at = 0; at < 30; at += 1) {
    assert.is(await tryPassword(limits, '192.0.2.1 ada', 0, fault), 'Error: the disk is full');
  }
  assert.is(await tryPassword(limits, '192.0.2.1 ada'), 'wrong');
});

test('pairing codes are counted apart', async () => {
  const limits = new SignInLimits();
  assert.is(await howManyTries(limits, () => '192.0.2.1 ada'), 10);
  for (let at = 0; at < 10; at += 1) assert.is(await limits.pairingCode('192.0.2.1', 0, wrong), null);
  const refused = await limits.pairingCode('192.0.2.1', 0, right).catch((error: ApiError) => error);
  assert.is(refused instanceof ApiError && refused.code, 'pairing_throttled');
  assert.is(await limits.pairingCode('192.0.2.2', 0, right), 'in');
});

test.run();
