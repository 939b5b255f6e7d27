import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorProblem } from '../../../process/problem.ts';

/** A copy's room while written and checked, as a multiple of its size. */
const WITH_SPARE = 1.2;
const MIB = 1024 ** 2;

/** Throws `OperatorProblem` if the folder of `file` lacks room for a copy of so many bytes. */
export function requireRoom(bytes: number, file: string, advice = 'Free some space, or choose another folder.'): void {
  const { bavail, bsize, blocks } = statfsSync(dirname(file));
  // Some network file systems report nothing.
  if (blocks === 0) return;
  const [wanted, free] = [bytes * WITH_SPARE, bavail * bsize];
  if (free >= wanted) return;
  throw new OperatorProblem(
    `${dirname(file)} has too little space: ${inMib(wanted)} are needed, and ${inMib(free)} are free.`,
    1,
    { advice },
  );
}

function inMib(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}
