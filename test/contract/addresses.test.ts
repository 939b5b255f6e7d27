import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeviceAddress } from '../../src/contract/addresses/address.ts';
import { addressProblem, storedAddress } from '../../src/contract/addresses.ts';
import { issueToken } from '../support/sandbox/tokens.ts';

const LONG = 'a'.repeat(100);

const test = suite('device token');

test('an iOS token is an even number of 16 to 200 hexadecimal digits', () => {
  for (const token of ['ab'.repeat(8), 'AB'.repeat(32), 'ab'.repeat(100)])
    assert.is(wrongField({ platform: 'ios', token }), null);
  for (const token of [
    '',
    'ab'.repeat(7),
    `${'ab'.repeat(32)}a`,
    'ab'.repeat(101),
    'xy'.repeat(32),
    `${'ab'.repeat(31)}/.`,
    `${'ab'.repeat(32)}\n`,
  ]) {
    assert.is(wrongField({ platform: 'ios', token }), 'token', token);
  }
});

test('an FCM token is 32 to 4096 printable ASCII characters without blanks', () => {
  for (const token of ['a'.repeat(32), issueToken({ platform: 'android' }), '~'.repeat(4096)])
    assert.is(wrongField({ platform: 'android', token }), null);
  for (const token of ['', 'x', 'a'.repeat(31), `${LONG} b`, `${LONG}\n`, `${LONG}ä`, 'a'.repeat(4097)])
    assert.is(wrongField({ platform: 'android', token }), 'token');
});

test('a Firebase installation ID is no registration token', () => {
  const installationId = issueToken({ platform: 'android', tokenKind: 'installation_id' });
  assert.is(wrongField({ platform: 'android', token: installationId }), 'token');
  assert.is(wrongField({ platform: 'android', token: installationId, tokenKind: 'installation_id' }), null);
});

test('a Firebase installation ID is 10 to 64 characters of the URL-safe alphabet', () => {
  const address = { platform: 'android', tokenKind: 'installation_id' } as const;
  assert.is(wrongField({ ...address, token: 'cIF_XnZqQ9-1bL0aaaaaaa' }), null);
  assert.is(wrongField({ ...address, token: 'eW5RkWn4bQM' }), null);
  for (const token of ['short', 'a'.repeat(65), 'with:colon:in:it'])
    assert.is(wrongField({ ...address, token }), 'token');
});

test('only iOS devices have an environment, and only Android ones another kind of token', () => {
  const ios = { platform: 'ios', token: 'ab'.repeat(32) } as const;
  const android = { platform: 'android', token: LONG } as const;
  assert.is(wrongField({ ...ios, environment: 'sandbox' }), null);
  assert.is(wrongField({ ...ios, tokenKind: 'installation_id' }), 'token_kind');
  assert.is(wrongField({ ...android, environment: 'production' }), 'environment');
});

test('values of other types and unknown words are wrong, not fatal', () => {
  const strange = (value: object) => wrongField(value as DeviceAddress);
  assert.is(strange({ platform: 'watch', token: 'x' }), 'platform');
  assert.is(strange({ platform: 'ios', token: 'ab'.repeat(32), environment: 'beta' }), 'environment');
  assert.is(strange({ platform: 'android', token: 'x', tokenKind: 'fid' }), 'token_kind');
  assert.is(strange({ platform: 'ios', token: ['ab'.repeat(32)] }), 'token');
  assert.is(strange({ platform: 'android' }), 'token');
});

test('iOS tokens are the same in either case, Android tokens are not', () => {
  assert.is(storedAddress({ platform: 'ios', token: 'ABCD' }).token, 'abcd');
  assert.is(storedAddress({ platform: 'android', token: 'ABCD' }).token, 'ABCD');
});

test.run();

function wrongField(address: DeviceAddress): string | null {
  return addressProblem(address, { pushHosts: [], apps: [] })?.field ?? null;
}
