import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiSchema, BodyOf, QueryOf } from '../../src/contract/api-types.ts';
import { bodyReader } from '../../src/http/body/body-fields.ts';
import { queryReader } from '../../src/http/query.ts';
import type { Routes } from '../../src/http/request-state.ts';

// The compiler runs these tests: a line with `@ts-expect-error` that compiles is an error.

const KEY: ApiSchema<'ApiKey'> = {
  id: '7m3q0f9t2xkd',
  name: 'ci',
  scopes: ['events:write'],
  channels: null,
  status: 'active',
  burst_per_minute: null,
  level: null,
  delivery_urgency: null,
  created_at: '2026-11-21T09:30:00.123+00:00',
  expires_at: null,
  last_used_at: null,
  successor: null,
};

test('A handler compiles if its response is the one of the description', () => {
  const handlers = {
    listKeys: () => ({ status: 200, body: { api_keys: [KEY], next: null } }),
    createKey: async () => ({ status: 201, body: { key: 'pctl_…', api_key: KEY } }),
    deleteChannel: () => ({ status: 204 }),
  } satisfies Routes;
  assert.is(Object.keys(handlers).length, 3);
});

test('A handler does not compile if its response differs from the description', () => {
  const { successor: _, ...keyWithoutSuccessor } = KEY;
  const lost = { ...KEY, status: 'lost' };
  const keys = { api_keys: [KEY], next: null };
  const handlers = [
    // @ts-expect-error: another status
    { listKeys: () => ({ status: 201, body: keys }) } satisfies Routes,
    // @ts-expect-error: a field is missing
    { listKeys: () => ({ status: 200, body: { api_keys: [KEY] } }) } satisfies Routes,
    // @ts-expect-error: a field of a part is missing
    { listKeys: () => ({ status: 200, body: { ...keys, api_keys: [keyWithoutSuccessor] } }) } satisfies Routes,
    // @ts-expect-error: a field has another type
    { listKeys: async () => ({ status: 200, body: { ...keys, next: 1 } }) } satisfies Routes,
    // @ts-expect-error: a word that is not described
    { listKeys: () => ({ status: 200, body: { ...keys, api_keys: [lost] } }) } satisfies Routes,
    // @ts-expect-error: a body where there is none
    { deleteChannel: () => ({ status: 204, body: {} }) } satisfies Routes,
    // @ts-expect-error: no body where there is one
    { listKeys: () => ({ status: 200 }) } satisfies Routes,
    // @ts-expect-error: no such operation
    { listLocks: () => ({ status: 204 }) } satisfies Routes,
  ];
  assert.is(handlers.length, 8);
});

test('The readers of bodies and queries have the fields of the description, and no others', () => {
  const readBody = bodyReader('createKey', ({ burstPerMinute, expiresAt }) => {
    const limit: number | undefined = burstPerMinute;
    return limit === expiresAt?.length ? [] : [];
  });
  // @ts-expect-error: no such field
  const fields: readonly (keyof BodyOf<'createKey'>)[] = ['name', 'burst_per_minute'];
  const readQuery = queryReader('listMembers');
  // @ts-expect-error: of another operation
  const parameters: readonly (keyof QueryOf<'listMembers'>)[] = ['hasDevice', 'platform'];
  assert.equal([typeof readBody, typeof readQuery, fields.length, parameters.length], ['function', 'function', 2, 2]);
});

test('An operation without a body or query has no reader of it', () => {
  assert.throws(() => bodyReader('listKeys'), 'listKeys takes no body');
  assert.throws(() => queryReader('createKey'), 'createKey says nothing of its query');
});

test.run();
