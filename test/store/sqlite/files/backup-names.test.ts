import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  backupName,
  backupsIn,
  isUnfinished,
  newestAtMs,
  unfinishedName,
} from '../../../../src/store/sqlite/files/backup-names.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 9, 30);
const HOUR_MS = 3_600_000;

test('A backup is named by its second, and known by its name', () => {
  const name = backupName(NOW_MS + 999);
  assert.is(name, 'pushctl-2026-11-21T093000Z.db');
  assert.equal(backupsIn([name], NOW_MS), [{ name, atMs: NOW_MS }]);
  assert.ok(isUnfinished(unfinishedName(name, 17)));
  assert.ok(isUnfinished(`${unfinishedName(name, 17)}-journal`));
});

test('Files of other names are none', () => {
  const others = [
    'pushctl.db',
    'pushctl-2026-11-21.db',
    'pushctl-2026-11-21T093000Z.db.toml',
    'pushctl-2026-11-21T093000Z.db.17.part',
    'pushctl-2026-13-21T093000Z.db',
    'a-pushctl-2026-11-21T093000Z.db',
  ];
  assert.equal(backupsIn(others, NOW_MS), []);
  assert.equal(others.filter(isUnfinished), ['pushctl-2026-11-21T093000Z.db.17.part']);
});

test('The backup with a wrong clock in its name is the oldest, and never the newest', () => {
  const at = (ms: number) => backupName(NOW_MS + ms);
  const names = [at(-HOUR_MS), at(9_000 * HOUR_MS), at(0), at(HOUR_MS / 2), at(8_000 * HOUR_MS)];
  const sorted = backupsIn(names, NOW_MS);
  assert.equal(
    sorted.map(({ name }) => name),
    [at(HOUR_MS / 2), at(0), at(-HOUR_MS), at(9_000 * HOUR_MS), at(8_000 * HOUR_MS)],
  );
  assert.is(newestAtMs(sorted, NOW_MS), NOW_MS + HOUR_MS / 2);
  assert.is(newestAtMs(sorted.slice(3), NOW_MS), null);
  assert.is(newestAtMs([], NOW_MS), null);
});

test.run();
