import { parseArgs } from 'node:util';

export interface BenchArguments {
  /** Empty: all that need not be named. */
  readonly parts: readonly string[];
  /** Writes the tables into the page of benchmarks. */
  readonly isSaving: boolean;
}

/** Returns what the command line asks for, or what is wrong with it. */
export function readArguments(args: readonly string[], parts: readonly string[]): BenchArguments | string {
  try {
    const options = { save: { type: 'boolean', default: false } } as const;
    const { positionals: wanted, values } = parseArgs({ args: [...args], allowPositionals: true, options });
    const unknown = wanted.filter((name) => !parts.includes(name));
    if (unknown.length > 0) return `There is no part ${unknown.join(', ')}; there are ${parts.join(', ')}.`;
    return { parts: wanted, isSaving: values.save };
  } catch (error) {
    return (error as Error).message;
  }
}
