import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bodyCheck, fieldCheck } from '../../src/contract/fields.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { readSchema } from '../../src/contract/schemas.ts';

interface BodySchema {
  readonly properties: Readonly<Record<string, { readonly not?: object; readonly format?: string }>>;
  readonly required?: readonly string[];
}

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
      'The scopes field must not have more than 5 entries.',
      'The scopes field must be one of events:write, events:read, alerts:write, heartbeats:write, heartbeats:ping.',
    ],
  });
  assert.not.ok(isRead);
});

test('every optional field of a POST or PUT may be null or blank, also within objects, and a password may be blank', () => {
  for (const { body, method } of OPERATIONS) {
    if (body === undefined || method === 'patch') continue;
    const { properties, required = [] } = readSchema(body) as unknown as BodySchema;
    const optional = Object.entries(properties).filter(([name, { not }]) => !required.includes(name) && !not);
    const check = bodyCheck(body);
    for (const value of [null, '', ' \t']) {
      const all = optional
        .filter(([, { format }]) => format !== 'password' || value !== ' \t')
        .map(([name]) => [name, value]);
      assert.equal(check(Object.fromEntries(all)), check({}), `${body}: ${JSON.stringify(value)}`);
    }
  }
  const subscription = { endpoint: 'https://example.com/', keys: { p256dh: 'x', auth: null } };
  const device = bodyCheck('device-registration')({ platform: 'web', app: null, subscription });
  assert.equal(Object.keys(device.fields), ['platform', 'subscription']);
  assert.equal(device.problem?.errors, {
    'subscription.keys.auth': ['The subscription.keys.auth field must be a string.'],
  });
  const passkey = { id: 'x', response: { signature: 'x', userHandle: null } };
  assert.equal(bodyCheck('session-request')({ passkey }).fields, {
    passkey: { id: 'x', response: { signature: 'x' } },
  });
  assert.equal(bodyCheck('session-request')({ email: 'a@example.com', password: '   ' }).problem, null);
});

test('null in a PATCH is a value that a field may allow; within an object it counts as absent', () => {
  const check = bodyCheck('channel-change', { isChange: true });
  assert.equal(check({ insist: null, quiet: null, rings: null }), {
    fields: { insist: null, quiet: null, rings: null },
    problem: null,
  });
  assert.equal(check({ insist: { repeat: null, escalate: null } }), { fields: { insist: {} }, problem: null });
  assert.equal(check({ name: null, status: '' }).problem?.errors, {
    name: ['The name field must be a string.'],
    status: ['The status field must be one of active, inactive.'],
  });
});

test('the schemas of all bodies and queries compile, though no start waits for it', () => {
  const named = OPERATIONS.flatMap(({ body, query }) => [body, query?.schema]).filter((name) => name !== undefined);
  assert.ok(named.length > 40, `${named.length} of them`);
  for (const name of named) assert.not.throws(() => fieldCheck(name)({}), name);
});

test.run();
