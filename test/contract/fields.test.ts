import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fieldCheck } from '../../src/contract/fields.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';

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
      'The scopes field must not name more than 5 scopes.',
      'The scopes field must be one of events:write, events:read, alerts:write, heartbeats:write, heartbeats:ping.',
    ],
  });
  assert.not.ok(isRead);
});

test('the schemas of all bodies and queries compile, though no start waits for it', () => {
  const named = OPERATIONS.flatMap(({ body, query }) => [body, query?.schema]).filter((name) => name !== undefined);
  assert.ok(named.length > 40, `${named.length} of them`);
  for (const name of named) assert.not.throws(() => fieldCheck(name)({}), name);
});

test.run();
