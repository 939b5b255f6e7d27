import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { backupSeverity, certificateSeverity, outageSeverity, SEVERITIES } from '../../src/process/finding.ts';
import { packagePath } from '../../src/process/package.ts';

const test = suite('severities');
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

test('The table in operations.md says of each finding what the code says', () => {
  const text = readFileSync(packagePath('docs', 'operations.md'), 'utf8');
  const [, table = ''] = /\| Finding \| Warning \| Failure \|\n\|---\|---\|---\|\n((?:\|.*\n)+)/.exec(text) ?? [];
  const rows = Object.entries(SEVERITIES as Readonly<Record<string, { warn?: string; fail?: string }>>);
  assert.equal(
    table.trimEnd().split('\n'),
    rows.map(([check, { warn = '–', fail = '–' }]) => `| ${check} | ${warn} | ${fail} |`),
  );
});

test('An outage is a failure from the sixth minute on, and a backup once it is older than twice its interval', () => {
  assert.equal([outageSeverity(0, 5 * MINUTE_MS - 1), outageSeverity(0, 5 * MINUTE_MS)], ['warn', 'fail']);
  assert.equal([backupSeverity(0, DAY_MS, 2 * DAY_MS), backupSeverity(0, DAY_MS, 2 * DAY_MS + 1)], ['warn', 'fail']);
  assert.is(backupSeverity(null, DAY_MS, 0), 'fail', 'there is none');
});

for (const [lifeDays, warnsDays, failsDays] of [
  [90, 14, 10],
  [9, 2, 1],
  [365, 14, 10],
] as const) {
  test(`A certificate of ${lifeDays} days is a warning with ${warnsDays} left, and a failure with ${failsDays}`, () => {
    const severity = (leftMs: number) => certificateSeverity(leftMs, 0, lifeDays * DAY_MS);
    assert.equal([severity(warnsDays * DAY_MS), severity(warnsDays * DAY_MS - 1)], [null, 'warn']);
    assert.equal([severity(failsDays * DAY_MS), severity(failsDays * DAY_MS - 1)], ['warn', 'fail']);
  });
}

test.run();
