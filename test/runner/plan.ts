import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ENGINE_NAMES, type EngineName, triesEachEngine } from '../support/engine-names.ts';
import type { Times } from './times.ts';

/** The tier of a test file stands in its name: `a.test.ts`, `a.ci.test.ts`, `a.trial.test.ts`. */
export type Tier = 'quick' | 'ci' | 'trials';

export const COMMANDS: Readonly<Record<Tier, string>> = {
  quick: 'npm test',
  ci: 'npm run test:ci',
  trials: 'npm run test:trials',
};

/** One process: a test file, and the engines over which it runs what must hold over each. */
export interface Job {
  /** The file's path below the root, as built. */
  readonly file: string;
  /** Tells the two runs of a file apart that runs over each engine by itself. */
  readonly name: string;
  readonly engines: readonly EngineName[];
  readonly limitS: number;
}

/** Jobs that run side by side, the longest first. */
export interface Phase {
  readonly tier: Tier;
  readonly jobs: readonly Job[];
  readonly atATime: number;
  /** Whether a failed file runs once more, alone on the machine. */
  readonly canRetry: boolean;
}

/** How long a file may take. Trials boot machine after machine. */
const LIMITS_S: Readonly<Record<Tier, number>> = { quick: 300, ci: 600, trials: 1_800 };

export function findTests(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js'))
    .sort();
}

export function tierOf(file: string): Tier {
  if (file.endsWith('.trial.test.js')) return 'trials';
  return file.endsWith('.ci.test.js') ? 'ci' : 'quick';
}

/** Returns the phases of a tier's command. `ci` begins with all of `quick`. */
export function planFor(tier: Tier, files: readonly string[], root: string, times: Times): readonly Phase[] {
  const cores = availableParallelism();
  const ofTier = (wanted: Tier) => files.filter((file) => tierOf(file) === wanted);
  const phase = (of: Tier, jobs: readonly Job[]): Phase => ({
    tier: of,
    jobs: longestFirst(jobs, times),
    // Quick files mostly wait: for a disk, a process, a time-out. The others drive browsers and machines.
    atATime: of === 'quick' ? 2 * cores + 1 : cores + 1,
    canRetry: of === 'ci',
  });
  const whole = (of: Tier) => ofTier(of).map((file) => jobOf(file, of === 'quick' ? ['sqlite'] : ENGINE_NAMES));
  if (tier !== 'ci') return [phase(tier, whole(tier))];
  const overPostgres = ofTier('quick')
    .filter((file) => triesEachEngine(join(root, file)))
    .map((file) => ({ ...jobOf(file, ['postgres']), name: `${file} over PostgreSQL` }));
  return [phase('quick', whole('quick')), phase('ci', [...whole('ci'), ...overPostgres])];
}

function jobOf(file: string, engines: readonly EngineName[]): Job {
  return { file, name: file, engines, limitS: LIMITS_S[tierOf(file)] };
}

/** A file whose time is unknown may be the longest. */
function longestFirst(jobs: readonly Job[], times: Times): readonly Job[] {
  const timeOf = ({ name }: Job) => times[name] ?? Number.MAX_VALUE;
  return jobs.toSorted((a, b) => timeOf(b) - timeOf(a));
}
