import { rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/folder.ts';
import { makeScratch } from './scratch.ts';

function madeIn(choice: { readonly onDisk: boolean; readonly TMPDIR?: string }): string {
  const { TMPDIR: before } = process.env;
  delete process.env.TMPDIR;
  if (choice.TMPDIR !== undefined) process.env.TMPDIR = choice.TMPDIR;
  try {
    const lines: string[] = [];
    const folder = makeScratch((line) => lines.push(line), choice);
    rmSync(folder, { recursive: true });
    const place = dirname(folder);
    const isUsual = [tmpdir(), '/dev/shm'].includes(place);
    // Another folder is explained: the system's own may be mounted `noexec`.
    assert.is(lines.length, isUsual ? 0 : 1, `${lines}`);
    return place;
  } finally {
    process.env.TMPDIR = before;
  }
}

test('Files of the tests are in TMPDIR, and gigabytes in the temporary folder', () => {
  const folder = temporaryFolder();
  assert.is(madeIn({ onDisk: false, TMPDIR: folder }), folder);
  assert.is(madeIn({ onDisk: true, TMPDIR: folder }), folder);
  const places = [tmpdir(), '/tmp', '/var/tmp'];
  assert.ok(places.includes(madeIn({ onDisk: true })));
});

test('Files of the tests are in memory if there is enough of it', () => {
  const { bavail, bsize } = statfsSync('/dev/shm');
  const made = madeIn({ onDisk: false });
  if (bavail * bsize < 2 * 1024 ** 3) assert.is.not(made, '/dev/shm');
  else assert.ok(['/dev/shm', '/tmp', '/var/tmp'].includes(made));
});

test.run();
