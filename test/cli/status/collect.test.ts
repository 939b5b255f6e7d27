import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { existingBackup } from '../../../src/cli/status/collect.ts';
import { temporaryFolder } from '../../support/folder.ts';

const test = suite('the backup that status names');

test('The newest backup whose file still exists is named, and a stream counts as existing', async () => {
  const folder = temporaryFolder();
  const known = (name: string) => ({ at: '2026-11-21T09:30:00.000+00:00', file: join(folder, name) });
  writeFileSync(known('kept.db').file, '');
  writeFileSync(known('oldest.db').file, '');
  const earlierBackups = ['moved.db', 'kept.db', 'oldest.db'].map(known);
  const last = known('newest.db');
  assert.equal(await existingBackup({ lastBackup: last, earlierBackups }), known('kept.db'));
  assert.is(await existingBackup({ lastBackup: last, earlierBackups: [known('gone.db')] }), null);
  assert.is(await existingBackup({ lastBackup: null, earlierBackups: [] }), null);
  const stream = { ...last, file: '-' };
  assert.equal(await existingBackup({ lastBackup: stream, earlierBackups }), stream);
});

test('A file system that does not answer delays nothing beyond the deadline', async () => {
  const folder = temporaryFolder();
  const program = join(folder, 'hangs');
  writeFileSync(program, '#!/bin/sh\nexec sleep 60\n');
  chmodSync(program, 0o755);
  const last = { at: '2026-11-21T09:30:00.000+00:00', file: '/mnt/nas/backup.db' };
  const before = performance.now();
  assert.equal(await existingBackup({ lastBackup: last, earlierBackups: [] }, { program, deadlineMs: 50 }), last);
  assert.ok(performance.now() - before < 20_000);
});

test.run();
