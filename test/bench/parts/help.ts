import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Line } from '../lines.ts';
import { alternate } from '../slices.ts';
import { ratios } from '../statistics.ts';

const RUNS = 5;

/** How long people wait for the command line. */
export async function help(): Promise<Line[]> {
  const launcher = join(import.meta.dirname, '..', '..', '..', '..', 'bin', 'pushctl');
  const slices = await alternate({
    ours: async () => timeOf(launcher, ['--help']),
    node: async () => timeOf(process.execPath, ['-e', '0']),
  });
  return [
    {
      what: '`pushctl --help`',
      against: '`node -e 0`',
      unit: '×',
      want: { atMost: 3 },
      values: ratios(slices.ours, slices.node),
      raw: { ms: slices.ours, 'node ms': slices.node },
    },
  ];
}

/** The fastest of a few: what a start takes when nothing gets in its way. */
function timeOf(command: string, args: readonly string[]): number {
  const tookMs = Array.from({ length: RUNS }, () => {
    const startMs = performance.now();
    execFileSync(command, args, { stdio: 'ignore' });
    return performance.now() - startMs;
  });
  return Math.min(...tookMs);
}
