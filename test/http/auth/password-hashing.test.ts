import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PasswordHashing } from '../../../src/http/auth/password-hashing.ts';

test('a password is hashed and verified', async () => {
  const passwords = new PasswordHashing();
  const stored = await passwords.hash('correct horse');
  assert.equal(
    [await passwords.verify('correct horse', stored), await passwords.verify('wrong', stored)],
    [true, false],
  );
});

test('no password is right for an unknown member', async () => {
  assert.not(await new PasswordHashing().verify('', null));
});

test.run();
