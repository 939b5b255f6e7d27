import { parseArgs } from 'node:util';

/** Returns the parts that the command line names (none: all that need not be named), or what is wrong with it. */
export function readParts(args: readonly string[], parts: readonly string[]): readonly string[] | string {
  try {
    const { positionals: wanted } = parseArgs({ args: [...args], allowPositionals: true });
    const unknown = wanted.filter((name) => !parts.includes(name));
    return unknown.length === 0 ? wanted : `There is no part ${unknown.join(', ')}; there are ${parts.join(', ')}.`;
  } catch (error) {
    return (error as Error).message;
  }
}
