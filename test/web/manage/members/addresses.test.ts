import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addressesIn } from '../../../../src/web/manage/members/addresses.ts';

test('Addresses are taken as people paste them, each once', () => {
  const pasted = 'Ada Lovelace <Ada@example.com>, bob@example.com;carl@example.com\nBob@Example.com  eve@example.com';
  assert.equal(addressesIn(pasted), {
    emails: ['ada@example.com', 'bob@example.com', 'carl@example.com', 'eve@example.com'],
    others: [],
  });
});

test('An invalid address is named', () => {
  assert.equal(addressesIn('ada@example.com nobody, @example.com a@b').others, ['nobody', '@example.com', 'a@b']);
});

test.run();
