import type { Command, Option } from 'commander';
import type { Name, NameQuery } from '../../store/records.ts';

export type LookUp = (query: NameQuery) => Promise<readonly Name[]>;

interface Position {
  readonly command: Command;
  readonly positionals: readonly string[];
  /** The option whose value comes next. */
  readonly option: Option | null;
  /** From `--workspace` or the first argument; null: none yet. */
  readonly workspace: string | null;
}

/** Completes the last of `words`; 'file': a file name. Numbers and new names have no candidates. */
export async function candidates(
  program: Command,
  words: readonly string[],
  lookUp: LookUp,
): Promise<readonly Name[] | 'file'> {
  const word = words.at(-1) ?? '';
  const place = walk(program, words.slice(0, -1));
  if (isFile(place, word)) return 'file';
  return (await possible(place, word, lookUp)).filter(({ value }) => value.startsWith(word));
}

/** Returns the values of global options already on the line. */
export function globalsIn(program: Command, words: readonly string[]): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const [index, word] of words.entries()) {
    const option = program.options.find(({ long, required }) => long === word && required);
    const value = words[index + 1];
    if (option !== undefined && value !== undefined) values[option.attributeName()] = value;
  }
  return values;
}

function walk(program: Command, words: readonly string[]): Position {
  let command = program;
  let option: Option | null = null;
  let workspace: string | null = null;
  const positionals: string[] = [];
  for (const word of words) {
    if (option !== null) {
      if (option.long === '--workspace') workspace = word;
      option = null;
      continue;
    }
    const inner = command.commands.find((subcommand) => subcommand.name() === word);
    if (word.startsWith('-'))
      option =
        optionsOf(command).find(
          (candidate) => candidate.required && [candidate.short, candidate.long].includes(word),
        ) ?? null;
    else if (inner !== undefined) command = inner;
    else positionals.push(word);
  }
  return { command, positionals, option, workspace: workspace ?? positionals[0] ?? null };
}

function isFile({ command, positionals, option }: Position, word: string): boolean {
  if (option !== null) return /<(file|folder)>/.test(option.flags);
  if (word.startsWith('-') || command.commands.length > 0) return false;
  return /^(file|folder|from|to)$/.test(command.registeredArguments[positionals.length]?.name() ?? '');
}

async function possible(
  { command, positionals, option, workspace }: Position,
  word: string,
  lookUp: LookUp,
): Promise<readonly Name[]> {
  if (option !== null) return ofOption(option, workspace, lookUp);
  if (word.startsWith('-')) {
    return optionsOf(command).map(({ long, description }) => ({ value: long ?? '', about: description }));
  }
  if (command.commands.length > 0) {
    const commands = command.createHelp().visibleCommands(command);
    return commands.map((subcommand) => ({ value: subcommand.name(), about: subcommand.description() }));
  }
  const argument =
    command.registeredArguments[positionals.length] ?? command.registeredArguments.find(({ variadic }) => variadic);
  if (argument?.argChoices !== undefined) return argument.argChoices.map((value) => ({ value, about: '' }));
  const query = argument === undefined ? null : queryFor(command, argument.name(), workspace, word);
  return query === null ? [] : lookUp(query);
}

/** Returns a command's and its parents' options. */
function optionsOf(command: Command): readonly Option[] {
  return [...command.options, ...(command.parent === null ? [] : optionsOf(command.parent))];
}

async function ofOption(option: Option, workspace: string | null, lookUp: LookUp): Promise<readonly Name[]> {
  if (option.argChoices !== undefined) return option.argChoices.map((value) => ({ value, about: '' }));
  if (option.long === '--workspace') return lookUp({ of: 'workspaces' });
  if (option.long === '--subscribe' || option.long === '--channel') return lookUp({ of: 'channels', workspace });
  return [];
}

/** Returns the query for an argument; none for new names. */
function queryFor(command: Command, argument: string, workspace: string | null, prefix: string): NameQuery | null {
  const noun = command.parent?.name();
  if (argument === 'workspace') return { of: 'workspaces' };
  if (argument === 'channel') return { of: 'channels', workspace: null };
  if (command.name() === 'create' || (command.name() === 'add' && noun === 'member')) return null;
  if (argument === 'slug' && noun === 'workspace') return { of: 'workspaces' };
  if (argument === 'slug' && noun === 'channel') return { of: 'channels', workspace };
  if (argument === 'slug' && noun === 'heartbeat' && command.name() !== 'add') return { of: 'heartbeats', workspace };
  if (argument === 'id' && noun === 'key') return { of: 'keys' };
  if (argument === 'id' && noun === 'device') return { of: 'devices', prefix };
  if (argument === 'public_id') return { of: 'events' };
  if (argument === 'email') return { of: 'members', workspace: isOfWorkspace(command) ? workspace : null, prefix };
  return null;
}

function isOfWorkspace({ registeredArguments: [first] }: Command): boolean {
  return first?.name() === 'workspace';
}
