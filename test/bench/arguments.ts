import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Binaries } from './peers.ts';

export interface Arguments {
  /** Parts by name; none means all that need not be named. */
  readonly wanted: readonly string[];
  readonly binaries: Binaries;
}

const OPTIONS = { ntfy: { type: 'string' }, gotify: { type: 'string' } } as const;

/** Of the command line, or what is wrong with it, for the person who typed it. */
export function readArguments(
  args: readonly string[],
  parts: readonly string[],
): Arguments | { readonly problem: string } {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return { problem: (error as Error).message };
  }
  const { positionals: wanted, values } = parsed;
  const unknown = wanted.filter((name) => !parts.includes(name));
  if (unknown.length > 0) return { problem: `There is no part ${unknown.join(', ')}; there are ${parts.join(', ')}.` };
  const given = Object.entries(values);
  if (given.length > 0 && !wanted.includes('peers')) return { problem: `--${given[0]?.[0]} goes with the part peers.` };
  for (const [option, path] of given) {
    const obstacle = obstacleTo(path);
    if (obstacle !== null) return { problem: `--${option} ${path}: ${obstacle}` };
  }
  // They run in folders of their own.
  return { wanted, binaries: Object.fromEntries(given.map(([option, path]) => [option, resolve(path)])) };
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
}

/** Why a file cannot be executed; null where it can. */
function obstacleTo(path: string): string | null {
  try {
    if (!statSync(path).isFile()) return 'this is no file.';
    accessSync(path, constants.X_OK);
    return null;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'there is no such file.';
    return code === 'EACCES' ? 'this user may not execute it.' : message;
  }
}
