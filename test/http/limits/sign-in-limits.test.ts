import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../../src/http/errors.ts';
import { SignInLimits } from '../../../src/http/limits/sign-in-limits.ts';
import { ALONE } from '../../support/counting.ts';
import { howManyTries, MINUTE_MS, right, tryPassword, wrong } from '../../support/guesses.ts';

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

test('guesses from elsewhere keep no member out on a network that they signed in from', async () => {
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

test.run();
