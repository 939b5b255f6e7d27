import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addressProblem, storedAddress } from '../../src/contract/addresses.ts';
import { PROVIDERS } from '../../src/push.ts';
import { readApnsToken } from '../../src/sandbox/apns/token.ts';
import { readFcmToken } from '../../src/sandbox/fcm/token.ts';
import { keysOf, tokenIn } from '../../src/sandbox/webpush/fake.ts';
import { readIssuedToken } from '../../src/sandbox/webpush/subscriptions.ts';
import { BEHAVIOURS } from '../support/sandbox/behaviours.ts';
import { issueToken } from '../support/sandbox/tokens.ts';

test('a token says its home, behaviour and parameter, and has the shape of a real one', () => {
  for (const [number, behaviour] of BEHAVIOURS.entries()) {
    const wanted = { behaviour, parameter: 54_321 };
    const meaning = { behaviour: number, parameter: 54_321 };
    const ios = issueToken({ platform: 'ios', environment: 'sandbox', ...wanted });
    const android = issueToken({ platform: 'android', ...wanted });
    const fid = issueToken({ platform: 'android', tokenKind: 'installation_id', ...wanted });
    assert.match(ios, /^[0-9a-f]{64}$/);
    assert.match(android, /^[\w-]{22}:APA91b[\w-]{134}$/);
    assert.match(fid, /^[c-f][\w-]{21}$/);
    assert.equal(readApnsToken(ios), { home: 'apns_sandbox', ...meaning });
    assert.equal(readFcmToken(android), { home: 'fcm', ...meaning });
    assert.equal(readFcmToken(fid), { home: 'fcm', ...meaning });
  }
});

test("a browser's endpoint says the same, and its keys are those of a real one", () => {
  for (const service of PROVIDERS.webpush.routes) {
    const meaning = { behaviour: 'slow', parameter: 54_321 } as const;
    const endpoint = issueToken({ platform: 'web', service, ...meaning });
    const found = tokenIn(endpoint);
    assert.is(found?.route, service);
    const issued = readIssuedToken(String(found?.token));
    assert.equal([issued?.home, issued?.behaviour, issued?.parameter], [service, BEHAVIOURS.indexOf('slow'), 54_321]);
    const address = { platform: 'web', subscription: { endpoint, keys: keysOf(endpoint) } } as const;
    assert.is(addressProblem(address, { pushHosts: ['push.example.net'], apps: [] }), null);
    assert.is(storedAddress(address).token, endpoint);
  }
});

test('a label always gives the same token, and without one every token is new', () => {
  const request = { platform: 'ios', label: 'phone' } as const;
  assert.is(issueToken(request), issueToken(request));
  assert.is.not(issueToken(request), issueToken({ ...request, label: 'tablet' }));
  assert.is.not(issueToken({ platform: 'ios' }), issueToken({ platform: 'ios' }));
});

test('a token that no sandbox issued is not known', () => {
  assert.is(readApnsToken('ab'.repeat(32)), null);
  assert.is(readApnsToken(''), null);
  assert.is(readFcmToken('nonsense'), null);
  assert.is(readFcmToken(`${'a'.repeat(22)}:APA91b${'a'.repeat(134)}`), null);
});

test.run();
