import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallRequest, Reply } from '../../../src/store/reply.ts';
import { type DamageReport, DamageWatch } from '../../../src/store/transports/database-watch.ts';
import { assertEach } from '../../support/assert-each.ts';

const FCM: CallRequest = { name: 'claimBatches', args: { route: 'fcm', lane: 'urgent', limit: 5, batchSize: 5 } };
const APNS: CallRequest = { name: 'claimBatches', args: { ...(FCM.args as object), route: 'apns_production' } };
const POST: CallRequest = { name: 'acceptEvent', args: {} };
const DONE: Reply = { kind: 'answer', answer: null };
const MALFORMED: Reply = { kind: 'unavailable', reason: 'malformed (SQLITE_CORRUPT)', damage: 'lasting' };
const UNREAD: Reply = { kind: 'unavailable', reason: 'disk I/O error (SQLITE_IOERR_READ)', damage: 'passing' };
const FULL: Reply = { kind: 'unavailable', reason: 'database or disk is full (SQLITE_FULL)' };

function watched() {
  const reports: DamageReport[] = [];
  let calls = 0;
  const onDamagedCall = () => {
    calls += 1;
  };
  const watch = new DamageWatch({ onDamage: (report) => reports.push(report), onDamagedCall });
  return { watch, reports, calls: () => calls };
}

test('A malformed page is reported once, whichever call meets it, and nothing is promised from then on', () => {
  const { watch, reports, calls } = watched();
  assert.is(watch.refusal(POST), null);
  for (let n = 0; n < 3; n += 1) watch.seen(FCM, MALFORMED);
  watch.seen(POST, MALFORMED);
  for (const call of [FCM, APNS, POST]) watch.seen(call, DONE);
  const reason = 'malformed (SQLITE_CORRUPT)';
  assert.equal(reports, [{ kind: 'damaged', call: 'claimBatches', reason, isLasting: true }]);
  assert.equal(watch.fault, { reason, isDamage: true, isLasting: true });
  assert.is(calls(), 4);
  assert.equal(watch.refusal(POST), { kind: 'unavailable', reason });
  assert.is(watch.refusal(FCM), null, 'what was promised is carried out');
  assert.is(watch.refusal({ name: 'listEvents', args: {} }), null);
});

test('A fault found by a look at every page counts as if a call had met it', () => {
  const { watch, reports } = watched();
  watch.found([]);
  assert.equal([watch.fault, reports], [null, []]);
  watch.found(['Tree 5 page 9: btreeInitPage() returns error code 11', 'Page 10: never used']);
  assert.match(watch.fault?.reason ?? '', /^Tree 5 page 9: .* code 11 \(and 1 more\)$/);
  assertEach(reports, ({ kind }) => kind, ['damaged']);
});

test('A page that the disk does not give is reported once, until the work that needs it has been done', () => {
  const { watch, reports } = watched();
  for (let n = 0; n < 3; n += 1) {
    watch.seen(FCM, UNREAD);
    watch.seen(APNS, DONE);
  }
  assert.is(reports.length, 1, 'other work is no proof');
  assert.equal(watch.fault, { reason: 'disk I/O error (SQLITE_IOERR_READ)', isDamage: true, isLasting: false });
  assert.is(watch.refusal(POST), null);
  watch.seen({ ...FCM, args: { ...(FCM.args as object), isCareful: true } }, DONE);
  assert.is(watch.fault, null);
  assert.equal(reports.slice(1), [{ kind: 'readable' }]);
});

test('A failed write is reported once, until a write certainly succeeds: idle work is no proof', () => {
  const { watch, reports } = watched();
  const prove: CallRequest = { name: 'proveWritable', args: {} };
  for (const reason of [
    'disk I/O error (SQLITE_IOERR_WRITE)',
    'could not extend file "base/5/16": I/O error (58030)',
  ]) {
    for (const call of [FCM, APNS, prove]) watch.seen(call, { kind: 'unavailable', reason, damage: 'unwritten' });
    for (const call of [FCM, APNS]) watch.seen(call, DONE);
    watch.seen(prove, FULL);
  }
  assertEach(reports, ({ kind }) => kind, ['damaged']);
  watch.seen(prove, DONE);
  assert.is(watch.fault, null);
  assertEach(reports, ({ kind }) => kind, ['damaged', 'readable']);
});

test('Lasting damage is reported even if other damage was known before', () => {
  const { watch, reports } = watched();
  watch.seen(FCM, UNREAD);
  watch.seen(APNS, MALFORMED);
  assertEach(reports, (report) => report.kind === 'damaged' && report.isLasting, [false, true]);
});

test('A call that need not be made again leaves no damage behind that only it could clear', () => {
  const { watch } = watched();
  watch.seen(POST, UNREAD);
  assert.is(watch.fault, null);
});

test('A full disk is no damage', () => {
  const { watch, reports, calls } = watched();
  watch.seen(FCM, FULL);
  assert.equal([watch.fault, reports, calls()], [null, [], 0]);
});

test.run();
