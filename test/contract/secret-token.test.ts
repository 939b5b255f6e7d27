import { createHash, randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createApiKey } from '../../src/contract/api-key.ts';
import { createDeviceToken, createSessionToken, parseSessionToken } from '../../src/contract/secret-token.ts';

const test = suite('session tokens');

test('a new token is found by the SHA-256 of the whole of it', () => {
  const { text, tokenHash } = createSessionToken(randomBytes);
  assert.is(parseSessionToken(text), tokenHash);
  assert.is(tokenHash, createHash('sha256').update(text).digest('hex'));
});

test('a token carries all of its 256 random bits', () => {
  const bytes = randomBytes(32);
  const { text } = createSessionToken(() => bytes);
  assert.equal(Buffer.from(text.slice('pses_'.length), 'base64url'), bytes);
});

test('every issued token is read back, with any last character', () => {
  for (let last = 0; last < 256; last += 1) {
    const { text, tokenHash } = createSessionToken((length) => new Uint8Array(length).fill(last));
    assert.is(parseSessionToken(text), tokenHash);
  }
});

test('a text that is too short, too long, of another alphabet, or another kind of token, is no session token', () => {
  const { text } = createSessionToken(randomBytes);
  const wrong = ['', 'pses_', text.slice(1), text.slice(0, -1), `${text}A`, ` ${text}`, `${text}\n`];
  for (const other of [
    ...wrong,
    `${text.slice(0, -5)}/${text.slice(-4)}`,
    createApiKey(randomBytes).text,
    createDeviceToken(randomBytes).text,
  ]) {
    assert.is(parseSessionToken(other), null, other);
  }
});

test.run();
