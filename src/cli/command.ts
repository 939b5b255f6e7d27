import { Command as CommanderCommand } from 'commander';

/** A command. Its help shows options, then details, then examples. */
export class Command extends CommanderCommand {
  override createCommand(name?: string): Command {
    return new Command(name);
  }

  /** Adds paragraphs to the help. */
  details(text: string): this {
    return this.addHelpText('after', text.trimEnd());
  }

  /** Adds examples to the help. */
  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`);
  }
}
