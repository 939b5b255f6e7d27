import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/process/package.ts';
import { skipWhere } from './support/skip.ts';

/** The cheap ones of test/anywhere, which has the others as well. */
const CASES = ['root-0700', 'umask-077', 'blank-umlaut', 'no-home', 'production', 'tarball', 'two-at-once'];

const inAClone = skipWhere(obstacle(), test);

for (const name of CASES) {
  inAClone(`npm start holds in the surroundings ${name}`, () => {
    const { status, stdout } = spawnSync(packagePath('test', 'anywhere'), ['--copied', '--tests', 'none', name], {
      encoding: 'utf8',
    });
    assert.is(status, 0, stdout);
    // Either of two at once may be the first.
    assert.match(stdout, new RegExp(`^ok +${name} .*start \\d+ s, .*again \\d+ s`, 'm'), stdout);
  });
}

test.run();

function obstacle(): string | null {
  if (process.geteuid?.() !== 0) return 'needs root';
  return existsSync(packagePath('.git')) ? null : 'needs a clone of the repository';
}
