import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PasswordHashing } from '../../../src/http/auth/password-hashing.ts';
import { ApiError } from '../../../src/http/errors.ts';

/** As stored, with parameters that cost little; the password is unknown. */
const CHEAP = `scrypt$1024$8$1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

test('a password is hashed and verified', async () => {
  const passwords = new PasswordHashing();
  const stored = await passwords.hash('correct horse');
  assert.equal(
    [await passwords.verify('correct horse', stored), await passwords.verify('wrong', stored)],
    [true, false],
  );
});

test('no password is right for nobody', async () => {
  assert.not(await new PasswordHashing().verify('', null));
});

test('requests are served in order, and only so many of them', async () => {
  const passwords = new PasswordHashing();
  const served: number[] = [];
  const guesses = Array.from({ length: 60 }, (_, at) =>
    passwords
      .admit(() => passwords.verify('x', CHEAP))
      .then(
        () => void served.push(at),
        (error: unknown) => error,
      ),
  );
  const refused = (await Promise.all(guesses)).filter((answer) => answer instanceof ApiError);
  assert.is(refused.length, 18);
  assert.ok(refused.every(({ code }) => code === 'overloaded'));
  assert.equal(
    [...served].sort((a, b) => a - b),
    Array.from({ length: 42 }, (_, at) => at),
  );
  assert.not(await passwords.verify('x', CHEAP));
});

test.run();
