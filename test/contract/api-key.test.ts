import { createHash, randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createApiKey, inForm, isLikeApiKey, isSameHash, parseApiKey } from '../../src/contract/api-key.ts';
import { isLikeSecret } from '../../src/contract/secret-token.ts';

test('a new key is read back as its id and the hash of its secret', () => {
  const key = createApiKey(randomBytes);
  assert.match(key.text, /^pctl_[0-9a-hjkmnp-tv-z]{12}_[0-9a-hjkmnp-tv-z]{36}$/);
  assert.equal(parseApiKey(key.text), key);
});

test('a key is the same key in each of its forms', () => {
  const key = createApiKey(randomBytes);
  const secret = key.text.slice(18);
  assert.is(inForm('pctl_', key.text), key.text);
  assert.is(inForm('tk_', key.text), `tk_${key.id}${secret}`);
  assert.is(inForm('gtfya.', key.text), `gtfya.${key.id}${secret}`);
  for (const form of ['pctl_', 'tk_', 'gtfya.'] as const) {
    const written = inForm(form, key.text);
    assert.equal(parseApiKey(written), key);
    assert.ok(isLikeApiKey(written));
    assert.ok(isLikeSecret(`seen: ${written.slice(0, -9)}`), form);
  }
});

test('forms are not mixed, and no form has another checksum', () => {
  const { id, text } = createApiKey(randomBytes);
  const secret = text.slice(18);
  const typo = secret.slice(0, -1) + (secret.endsWith('7') ? '8' : '7');
  for (const other of [`tk_${id}_${secret}`, `gtfya_${id}${secret}`, `gtfya.${id}.${secret}`, `pctl_${id}${secret}`]) {
    assert.is(parseApiKey(other), null, other);
  }
  assert.is(parseApiKey(`tk_${id}${typo}`), null);
});

test('the hash is the SHA-256 of the 32 characters of the secret', () => {
  const { text, secretHash } = createApiKey(randomBytes);
  const secret = text.slice(18, 50);
  assert.is(secretHash, createHash('sha256').update(secret).digest('hex'));
});

test('keys made of the same random bytes are equal, so this test notices a changed format', () => {
  const key = createApiKey((bytes) => new Uint8Array(bytes).map((_, at) => at));
  assert.is(key.text.slice(0, 50), 'pctl_0123456789ab_0123456789abcdefghjkmnpqrstvwxyz');
  assert.is(key.text.length, 54);
});

test('a mistyped key is no key', () => {
  const { text } = createApiKey(randomBytes);
  for (let at = 5; at < text.length; at += 1) {
    if (text[at] === '_') continue;
    const typo = text.slice(0, at) + (text[at] === '7' ? '8' : '7') + text.slice(at + 1);
    assert.is(parseApiKey(typo), null, `character ${at}`);
  }
});

test('other texts are no keys', () => {
  const { text } = createApiKey(randomBytes);
  for (const other of [
    '',
    'pctl_',
    `${text} `,
    `x${text}`,
    text.toUpperCase(),
    text.slice(0, -1),
    `pses_${text.slice(5)}`,
  ]) {
    assert.is(parseApiKey(other), null, other);
  }
});

test('hashes are compared by value', () => {
  assert.ok(isSameHash('ab12', 'ab12'));
  assert.not(isSameHash('ab12', 'ab13'));
  assert.not(isSameHash('ab12', 'ab1'));
});

test.run();
