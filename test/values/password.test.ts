import { scryptSync } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hashPassword, passwordProblem, verifyPassword } from '../../src/values/password.ts';

const test = suite('password');

test('A password fits its own hash and no other does.', async () => {
  const stored = await hashPassword('correct horse battery');
  assert.is(await verifyPassword('correct horse battery', stored), true);
  assert.is(await verifyPassword('correct horse batterz', stored), false);
});

test('The parameters stand beside the hash, and the same password gives another hash each time.', async () => {
  const stored = await hashPassword('correct horse battery');
  assert.match(stored, /^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  assert.is.not(await hashPassword('correct horse battery'), stored);
});

test('A hash made with other parameters still fits.', async () => {
  const salt = Buffer.from('salt');
  const hash = scryptSync('password', salt, 32, { N: 16, r: 1, p: 1 });
  const stored = `scrypt$16$1$1$${salt.toString('base64url')}$${hash.toString('base64url')}`;
  assert.is(await verifyPassword('password', stored), true);
});

test('The Unicode form in which a password is typed does not matter.', async () => {
  const stored = await hashPassword('Caf\u00e9 society');
  assert.is(await verifyPassword('Cafe\u0301 society', stored), true);
});

test('No password matches a malformed stored hash.', async () => {
  for (const stored of ['', 'plain', 'scrypt$1$1$1$$']) assert.is(await verifyPassword('plain', stored), false);
});

test('A new password has 8 characters or more and at most 1024 bytes.', () => {
  assert.match(passwordProblem('sevench') ?? '', 'at least 8 characters');
  assert.match(passwordProblem('é'.repeat(513)) ?? '', '1024 bytes');
  assert.is(passwordProblem('eight ch'), null);
});

test.run();
