import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fieldCheck } from '../../src/contract/fields.ts';

const test = suite('fields');

test('a list is looked at no further than it may be long', () => {
  const check = fieldCheck('key-request');
  const scopes = Array.from({ length: 10_000 }, (_, index) => `scope ${index}`);
  let isRead = false;
  Object.defineProperty(scopes, 9_000, {
    get() {
      isRead = true;
    },
  });
  assert.equal(check({ name: 'ci', scopes })?.errors, {
    scopes: [
      'The scopes field must not name more than 2 scopes.',
      'The scopes field must be one of events:write, events:read.',
    ],
  });
  assert.not.ok(isRead);
});

test.run();
