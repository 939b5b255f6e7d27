import { Command as CommanderCommand } from 'commander';

/** A command of pushctl. Behind its options, its help has what else there is to know, and then examples. */
export class Command extends CommanderCommand {
  override createCommand(name?: string): Command {
    return new Command(name);
  }

  /** Paragraphs, with a blank line before them. */
  details(text: string): this {
    return this.addHelpText('after', text.trimEnd());
  }

  /** Every command has some. */
  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`);
  }
}
