import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { findTests, tierOf } from './plan.ts';
import { isOf, readTrialRows, trialsFor } from './trials.ts';

const FILES = findTests(join(import.meta.dirname, '..'));
const TRIALS = FILES.filter((file) => tierOf(file) === 'trials');

test('Each trial has a row in the table of tiers, and each row has trials', () => {
  const rows = readTrialRows();
  const isNamed = (file: string) => rows.some((row) => isOf(row, file));
  assert.equal(
    TRIALS.filter((file) => !isNamed(file)),
    [],
  );
  assert.equal(
    rows.flatMap(({ trials }) => trials).filter((trial) => !TRIALS.some((file) => file.startsWith(trial))),
    [],
  );
});

test('The table names sources that exist, and each folder of src', () => {
  const sources = readTrialRows().flatMap((row) => row.sources);
  assert.equal(
    sources.filter((source) => !existsSync(packagePath(source))),
    [],
  );
  const folders = readdirSync(packagePath('src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const isNamed = (folder: string) => sources.some((source) => source.startsWith(`src/${folder}/`));
  assert.equal(
    folders.map(({ name }) => name).filter((name) => !isNamed(name)),
    [],
  );
});

test('A change leads to the trials of its folder, and a changed trial to itself', () => {
  const files = ['browsers/a.trial.test.js', 'crash/b.trial.test.js', 'systemd/c.trial.test.js'];
  assert.equal(trialsFor(['src/web/app.tsx'], files), ['browsers/a.trial.test.js']);
  assert.equal(trialsFor(['README.md'], files), []);
  assert.equal(trialsFor(['test/systemd/c.trial.test.ts'], files), ['systemd/c.trial.test.js']);
});

test.run();
