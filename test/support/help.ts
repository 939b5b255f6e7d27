import type { Cli, CliResult } from './cli.ts';

/** Returns the help of the program, and of each command below it, by its path: '' or 'key issue'. */
export async function helpPages(cli: Cli): Promise<ReadonlyMap<string, CliResult>> {
  const pages = new Map<string, CliResult>();
  const visit = async (path: readonly string[]): Promise<void> => {
    const page = await cli.run([...path, '--help']);
    pages.set(path.join(' '), page);
    await Promise.all(subcommandsIn(page.stdout).map((verb) => visit([...path, verb])));
  };
  await visit([]);
  return pages;
}

/** Returns the verbs that a help text lists, whatever the heading of their group. */
function subcommandsIn(help: string): readonly string[] {
  const afterOptions = help.slice(help.lastIndexOf('-h, --help'));
  const lines = afterOptions.split('\n').slice(1);
  const names = lines.map((line) => /^ {2}([a-z][a-z-]*)(?: |$)/.exec(line)?.[1]);
  return names.filter((name) => name !== undefined && name !== 'help') as string[];
}
