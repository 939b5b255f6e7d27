import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkAddress, checkHeaders, checkPayload } from '../../../src/sandbox/apns/checks.ts';
import { parseJsonObject } from '../../../src/values/json.ts';

const TOPIC = 'com.example.app';

function request(change: { method?: string; path?: string; headers?: Record<string, string>; rawHeaders?: string[] }) {
  const headers = { 'apns-topic': TOPIC, 'apns-push-type': 'alert', ...change.headers };
  const path = `/3/device/${'ab'.repeat(32)}`;
  return { method: 'POST', path, rawHeaders: Object.entries(headers).flat(), ...change, headers };
}

test('path and method are checked before anything else', () => {
  const cases: [string, string, string | null][] = [
    ['POST', '/3/device/abcd', null],
    ['GET', '/3/device/abcd', 'MethodNotAllowed'],
    ['POST', '/3/device/', 'MissingDeviceToken'],
    ['POST', '/3/devices/abcd', 'BadPath'],
    ['POST', '/3/device/../../evil?x=1', 'BadPath'],
    ['GET', '/', 'BadPath'],
  ];
  for (const [method, path, reason] of cases) assert.is(checkAddress(request({ method, path })), reason, path);
});

test('each header has its rule', () => {
  const cases: [Record<string, string>, string | null][] = [
    [{}, null],
    [{ 'apns-id': 'not-a-uuid' }, 'BadMessageId'],
    [{ 'apns-id': '123e4567-e89b-12d3-a456-4266554400a0' }, null],
    [{ 'apns-expiration': '0' }, null],
    [{ 'apns-expiration': 'tomorrow' }, 'BadExpirationDate'],
    [{ 'apns-expiration': '1700000000000' }, 'BadExpirationDate'],
    [{ 'apns-expiration': '-1' }, 'BadExpirationDate'],
    [{ 'apns-push-type': 'loud' }, 'InvalidPushType'],
    [{ 'apns-push-type': 'toString' }, 'InvalidPushType'],
    [{ 'apns-priority': '1' }, null],
    [{ 'apns-priority': '7' }, 'BadPriority'],
    [{ 'apns-push-type': 'background' }, 'BadPriority'],
    [{ 'apns-push-type': 'background', 'apns-priority': '10' }, 'BadPriority'],
    [{ 'apns-push-type': 'background', 'apns-priority': '5' }, null],
    [{ 'apns-collapse-id': 'x'.repeat(64) }, null],
    [{ 'apns-collapse-id': 'x'.repeat(65) }, 'BadCollapseId'],
    [{ 'apns-collapse-id': 'ü'.repeat(33) }, 'BadCollapseId'],
    [{ 'apns-topic': '' }, 'MissingTopic'],
    [{ 'apns-topic': 'com example' }, 'BadTopic'],
    [{ 'apns-topic': 'com.other.app' }, 'TopicDisallowed'],
    [{ 'apns-topic': `${TOPIC}.voip` }, 'DeviceTokenNotForTopic'],
    [{ 'apns-topic': `${TOPIC}.voip`, 'apns-push-type': 'voip' }, null],
    [{ 'apns-push-type': 'voip' }, 'DeviceTokenNotForTopic'],
  ];
  for (const [headers, reason] of cases) {
    assert.is(checkHeaders(request({ headers }), [TOPIC]), reason, JSON.stringify(headers));
  }
});

test('a header that comes twice is refused with any value', () => {
  const rawHeaders = ['apns-topic', TOPIC, 'apns-priority', '10', 'apns-topic', TOPIC];
  assert.is(checkHeaders(request({ rawHeaders }), [TOPIC]), 'DuplicateHeaders');
});

test('the payload must be a JSON object with aps, fit the push type, and not pass its limit', () => {
  const alert = (size: number) => `{"aps":{"alert":"${'x'.repeat(size - 20)}"}}`;
  const cases: [string, string | undefined, string | null][] = [
    ['', 'alert', 'PayloadEmpty'],
    ['{}', 'alert', 'PayloadEmpty'],
    ['[1]', 'alert', 'PayloadEmpty'],
    ['{"aps":', 'alert', 'PayloadEmpty'],
    ['{"aps":"x"}', 'alert', 'PayloadEmpty'],
    ['{"aps":{"alert":"x"}}', undefined, null],
    ['{"aps":{"mutable-content":1}}', 'alert', 'InvalidPushType'],
    ['{"aps":{"content-available":1}}', 'background', null],
    ['{"aps":{"content-available":1,"alert":"x"}}', 'background', 'InvalidPushType'],
    [alert(4096), 'alert', null],
    [alert(4097), 'alert', 'PayloadTooLarge'],
    [alert(5120), 'voip', null],
    [alert(5121), 'voip', 'PayloadTooLarge'],
  ];
  for (const [body, pushType, reason] of cases) {
    assert.is(
      checkPayload(body.length, parseJsonObject(body), pushType),
      reason,
      `${body.slice(0, 40)} (${body.length})`,
    );
  }
});

test.run();
