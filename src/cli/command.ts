import { Command as CommanderCommand } from 'commander';

/** A command. Its help shows options, then details, then examples. */
export class Command extends CommanderCommand {
  override createCommand(name?: string): Command {
    return new Command(name);
  }

  details(text: string): this {
    return this.addHelpText('after', text.trimEnd());
  }

  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => folded(`  $ ${line}`)).join('\n')}`);
  }
}

const WIDTH = 80;
const INDENT = 5;

/** Breaks a long line before an option, as a shell reads it. */
function folded(line: string): string {
  if (line.length <= WIDTH) return line;
  const at = line.lastIndexOf(' --', WIDTH - ' \\'.length);
  return at <= INDENT ? line : `${line.slice(0, at)} \\\n${folded(`${' '.repeat(INDENT)}${line.slice(at)}`)}`;
}
