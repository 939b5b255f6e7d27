import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PasswordHashing } from '../../../src/http/auth/password-hashing.ts';
import { ApiError } from '../../../src/http/errors.ts';

/** As stored, with parameters that cost little; the password is unknown. */
const CHEAP = `scrypt$1024$8$1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

test('a password is hashed and verified', async () => {
  const desk = new PasswordHashing();
  const stored = await desk.hash('correct horse');
  assert.equal([await desk.verify('correct horse', stored), await desk.verify('wrong', stored)], [true, false]);
});

test('no password is right for nobody', async () => {
  assert.not(await new PasswordHashing().verify('', null));
});

test('the line is served in order, and has an end', async () => {
  const desk = new PasswordHashing();
  const served: number[] = [];
  const guesses = Array.from({ length: 60 }, (_, at) =>
    desk
      .withPlace(() => desk.verify('x', CHEAP))
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
  assert.not(await desk.verify('x', CHEAP));
});

test.run();
