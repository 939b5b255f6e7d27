import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { packagePath } from '../../src/process/package.ts';

/** A row of the table of tiers in docs/architecture.md: which trials belong to which folders of `src`. */
export interface TrialRow {
  /** The beginnings of the paths of its test files, below `test/`. */
  readonly trials: readonly string[];
  /** The beginnings of the paths for whose changes it runs. */
  readonly sources: readonly string[];
}

const TABLE = 'docs/architecture.md';
const ROW = /^\| `npm run test:trials -- ([^`]+)` \|.*\| ([^|]+) \|$/gm;

export function readTrialRows(): readonly TrialRow[] {
  const rows = [...readFileSync(packagePath(TABLE), 'utf8').matchAll(ROW)].map(([, trials = '', sources = '']) => ({
    trials: trials.split(' '),
    sources: [...sources.matchAll(/`([^`]+)`/g)].map(([, source = '']) => source),
  }));
  if (rows.length === 0) throw new Error(`${TABLE} has no row of a trial: is its table written in another form?`);
  return rows;
}

export function isOf({ trials }: TrialRow, file: string): boolean {
  return trials.some((trial) => file.startsWith(trial));
}

/** Returns the built test files that belong to these changed files, whose paths begin at the package. */
export function trialsFor(changed: readonly string[], files: readonly string[]): readonly string[] {
  const touched = readTrialRows().filter(({ sources }) =>
    sources.some((source) => changed.some((path) => path.startsWith(source))),
  );
  const isChanged = (file: string) => changed.includes(`test/${file.replace(/js$/, 'ts')}`);
  return files.filter((file) => touched.some((row) => isOf(row, file)) || isChanged(file));
}

/** Returns the files that differ from a commit, new ones included; null: git does not know the commit. */
export function changedSince(commit: string): readonly string[] | null {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: packagePath('.'), encoding: 'utf8' });
  const known = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`);
  if (known.status !== 0) return null;
  const listed = git('diff', '--name-only', known.stdout.trim(), '--').stdout;
  const added = git('ls-files', '--others', '--exclude-standard').stdout;
  return `${listed}${added}`.split('\n').filter((path) => path !== '');
}
