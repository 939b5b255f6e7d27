import type { Command } from '../command.ts';

/** Adds `help` for whole command paths; commander's reads one word only. */
export function addHelp(program: Command): void {
  program
    .helpCommand(false)
    .command('help [command...]')
    .helpGroup('Commands:')
    .description('print the help of a command')
    .examples('pushctl help', 'pushctl help key issue')
    .action((path: readonly string[]) => commandAt(program, path).help());
}

type Parent = ReturnType<Command['createCommand']>;

/** Returns the command of a path. Unknown words are wrong usage. */
function commandAt(program: Command, path: readonly string[]) {
  return path.reduce<Parent>((parent, word) => {
    const found = parent.commands.find((command) => command.name() === word);
    return (found ?? parent.error(`unknown command '${word}'`)) as Parent;
  }, program);
}
