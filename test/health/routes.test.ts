import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pauseFindings, quarantineFindings } from '../../src/health/routes.ts';

const SINCE = '2026-11-22T01:00:00.000+00:00';

const test = suite('health: routes');

test('A route that is open and refuses no device is no finding', () => {
  assert.equal([...pauseFindings('fcm', null), ...quarantineFindings({ route: 'fcm', quarantined: [] })], []);
});

test('A pause is named with its reason and what to do about it', () => {
  const pause = { kind: 'unauthorized', reason: 'InvalidProviderToken', since: SINCE };
  const [found] = pauseFindings('fcm', pause);
  assert.equal([found?.check, found?.status], ['fcm', 'fail']);
  assert.match(found?.message ?? '', 'InvalidProviderToken');
  assert.match(found?.advice ?? '', 'apns.key_file');
});

test("An operator's pause is ended by resuming", () => {
  const pause = { kind: 'operator', reason: 'an operator paused it', since: SINCE };
  const [found] = pauseFindings('fcm', pause);
  assert.is(found?.advice, 'pushctl route resume fcm');
});

test('Devices that are refused are counted by reason, with those that were good before', () => {
  const quarantined = [{ reason: 'SENDER_ID_MISMATCH', devices: 300, accepted_before: 2, since: SINCE }];
  const [found] = quarantineFindings({ route: 'fcm', quarantined });
  assert.match(found?.message ?? '', /^300 devices are refused with SENDER_ID_MISMATCH since .*, 2 of which/);
  assert.match(found?.advice ?? '', 'device prune --route fcm --reason SENDER_ID_MISMATCH');
});

test.run();
