import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createApiKey } from '../../../src/contract/api-key.ts';
import { findKey, findKeyInText } from '../../../src/contract/senders/key-places.ts';
import { aRequest } from '../../support/senders.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('a key is the token of Bearer, or the password of Basic, with or without a user name', () => {
  const found = (authorization: string) => findKey([{ in: 'authorization' }], aRequest({ headers: { authorization } }));
  for (const authorization of [
    'Bearer tk_1',
    'bearer  tk_1 ',
    `Basic ${base64(':tk_1')}`,
    `Basic ${base64('ada:tk_1')}`,
    `BASIC ${base64('tk_1')}`,
  ]) {
    assert.equal(found(authorization), { token: 'tk_1', isInAddress: false }, authorization);
  }
  for (const authorization of ['', 'Bearer', 'Digest x', 'tk_1']) assert.is(found(authorization).token, '');
});

test('a key in a field of JSON is no key of an address, and is looked for if no header has one', () => {
  const places = [{ in: 'authorization' }, { in: 'body', name: 'routing_key' }] as const;
  const found = (body: string, headers = {}) => findKey(places, aRequest({ headers, body }));
  assert.equal(found('{"routing_key": " tk_1 "}'), { token: 'tk_1', isInAddress: false });
  assert.is(found('{"routing_key": "tk_1"}', { authorization: 'Bearer tk_2' }).token, 'tk_2');
  for (const body of ['', 'tk_1', '{}', '["tk_1"]', '{"routing_key": ["tk_1"]}']) assert.is(found(body).token, '');
});

test('a key is found in a large text among 100 fields of its name, and no further', () => {
  const { text } = createApiKey(randomBytes);
  const behind = (fields: number) => `{${'"routing_key":"x",'.repeat(fields)}"routing_key":"${text}"}`;
  assert.is(findKeyInText(behind(99), 'routing_key'), text);
  assert.is(findKeyInText(behind(100), 'routing_key'), '');
});

test('a key in the query or the path is one in an address', () => {
  const places = [
    { in: 'query', name: 'token', holds: 'key' },
    { in: 'query', name: 'auth', holds: 'authorization' },
    { in: 'path' },
  ] as const;
  const header = Buffer.from('Bearer tk_1').toString('base64url');
  const basic = Buffer.from(`Basic ${base64(':tk_1')}`).toString('base64url');
  for (const request of [
    aRequest({ query: 'token=tk_1' }),
    aRequest({ query: `auth=${header}` }),
    aRequest({ query: `auth=${basic}` }),
    aRequest({ params: { key: 'tk_1' } }),
  ]) {
    assert.equal(findKey(places, request), { token: 'tk_1', isInAddress: true });
  }
  assert.equal(findKey(places, aRequest({ query: 'auth=%00' })), { token: '', isInAddress: false });
});

test('the first place that has one counts', () => {
  const places = [
    { in: 'query', name: 'token', holds: 'key' },
    { in: 'header', name: 'x-gotify-key' },
  ] as const;
  const headers = { 'x-gotify-key': 'second' };
  assert.equal(findKey(places, aRequest({ query: 'token=first', headers })).token, 'first');
  assert.equal(findKey(places, aRequest({ headers })), { token: 'second', isInAddress: false });
});

test.run();
