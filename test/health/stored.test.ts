import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oldBackupFindings } from '../../src/health/findings.ts';
import { toTimestamp } from '../../src/values/timestamp.ts';

const test = suite('findings about backups');
const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 21, 9, 30);
const ofAge = (ms: number) => oldBackupFindings({ at: toTimestamp(NOW_MS - ms), file: 'x' }, DAY_MS, NOW_MS);

test('A last backup is old when it is twice as old as it may be', () => {
  assert.equal(ofAge(2 * DAY_MS), []);
  const [finding] = ofAge(2 * DAY_MS + 1);
  assert.equal([finding?.check, finding?.status], ['backup', 'fail']);
});

test('None yet, and one of a clock that was ahead, are not old', () => {
  assert.equal(oldBackupFindings(null, DAY_MS, NOW_MS), []);
  assert.equal(ofAge(-9 * DAY_MS), []);
});

test.run();
