import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pauseFindings, pauseOf, quarantineFindings } from '../../src/health/findings.ts';

const SINCE = '2026-11-22T01:00:00.000+00:00';
const NOW_MS = Date.parse(SINCE);

test('A route that is open and refuses no device is no finding', () => {
  assert.equal([...pauseFindings([], NOW_MS), ...quarantineFindings({ route: 'fcm', quarantined: [] })], []);
});

test('A pause is named with its reason and what to do about it', () => {
  const pause = { kind: 'unauthorized', reason: 'InvalidProviderToken', since: SINCE };
  const [found] = pauseFindings([{ route: 'fcm', pause }], NOW_MS);
  assert.equal([found?.check, found?.status], ['fcm', 'fail']);
  assert.match(found?.message ?? '', 'InvalidProviderToken');
  assert.match(found?.advice ?? '', 'apns.key_file');
});

test("An operator's pause is a warning that ends with resuming", () => {
  const pause = { kind: 'operator', reason: 'an operator paused it', since: SINCE };
  const [found] = pauseFindings([{ route: 'fcm', pause }], NOW_MS + 3_600_000);
  assert.equal([found?.status, found?.advice], ['warn', 'pushctl route resume fcm']);
});

test('An outage of a provider is a warning, and a failure from five minutes on', () => {
  const pause = { kind: 'unavailable', reason: 'connect_failed', since: SINCE };
  const after = (ms: number) => pauseFindings([{ route: 'fcm', pause }], NOW_MS + ms)[0]?.status;
  assert.equal([after(299_999), after(300_000)], ['warn', 'fail']);
});

test('Routes that are paused for the same missing key are one finding, and others one each', () => {
  const off = { kind: 'off', reason: 'apns.key_file: /keys/a.p8 does not exist.', since: SINCE };
  const outage = { kind: 'unavailable', reason: 'connect_failed', since: SINCE };
  const found = pauseFindings(
    [
      { route: 'apns_production', pause: off },
      { route: 'apns_sandbox', pause: off },
      { route: 'fcm', pause: outage },
      { route: 'webpush_google', pause: outage },
    ],
    NOW_MS,
  );
  assert.equal(
    found.map(({ check, status }) => `${check} ${status}`),
    ['apns_production fail', 'fcm warn', 'webpush_google warn'],
  );
  assert.match(found[0]?.message ?? '', /^has been paused with apns_sandbox since /);
});

test('Devices that are refused are counted by reason, with those that were good before', () => {
  const quarantined = [{ reason: 'SENDER_ID_MISMATCH', devices: 300, accepted_before: 2, since: SINCE }];
  const [found] = quarantineFindings({ route: 'fcm', quarantined });
  assert.match(
    found?.message ?? '',
    /^the provider has refused 300 devices with SENDER_ID_MISMATCH since .*, 2 of which/,
  );
  assert.match(found?.advice ?? '', 'device prune --route fcm --reason SENDER_ID_MISMATCH');
});

const AT = '2026-11-22T09:30:00.000+00:00';
const BY_OPERATOR = { kind: 'operator', reason: 'an operator paused it', since: AT };
const OF_PROVIDER = { kind: 'unavailable', reason: 'http_503', since: AT };

test("An operator's decision holds, even if the server that reports its routes does not know it yet", () => {
  const asked = (paused_at: string | null, pause: typeof BY_OPERATOR | null) =>
    pauseOf({ route: 'fcm', paused_at, quarantined: [], live: { pause, doubt: null } });
  assert.equal(asked(AT, null), BY_OPERATOR);
  assert.is(asked(null, BY_OPERATOR), null);
  assert.equal(asked(null, OF_PROVIDER), OF_PROVIDER);
  assert.is(asked(null, null), null);
});

test('If no server runs, only the decisions of operators are known', () => {
  const asked = (paused_at: string | null) => pauseOf({ route: 'fcm', paused_at, quarantined: [], live: null });
  assert.equal([asked(AT), asked(null)], [BY_OPERATOR, null]);
});

test.run();
