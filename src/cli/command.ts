import { Command as CommanderCommand } from 'commander';
import type { Refusal, StoreClient } from '../store/calls.ts';
import type { CommandContext } from './context.ts';
import type { Listing } from './output/listing.ts';
import { type Cell, fields, table } from './output/table.ts';

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

/** The output of a noun of the command line, shared by all its commands. */
export interface Noun<T> {
  /** Singular and plural names in JSON documents. */
  readonly name: string;
  readonly plural: string;
  /** A row's cells by heading. */
  readonly columns: Readonly<Record<string, (thing: T) => Cell>>;
  /** A single thing's fields. Absent: its row. */
  readonly fields?: (thing: T) => Readonly<Record<string, Cell>>;
  /** A text below the fields. */
  readonly below?: (thing: T) => string | null;
  readonly empty: string;
}

/** A command that only asks the store, with the arguments in its usage. */
interface Verb<Answer> {
  readonly usage: string;
  readonly description: string;
  readonly examples: readonly string[];
  /** Runs before the store is opened; returns the question. */
  readonly ask: (...named: string[]) => Ask<Answer> | Promise<Ask<Answer>>;
}
type Ask<Answer> = (store: StoreClient) => Promise<Answer | Refusal>;

interface Removal<T> extends Verb<T> {
  readonly confirmation: (removed: T, ...named: string[]) => string;
}

type View<Answer> = (context: CommandContext, answer: Answer) => string;

export function addList<T>(parent: Command, context: CommandContext, noun: Noun<T>, verb: Verb<readonly T[]>): void {
  addVerb(parent, verb, async (named) => context.show(noun.plural, await verb.ask(...named), listView(noun)));
}

export function addShow<T>(parent: Command, context: CommandContext, noun: Noun<T>, verb: Verb<T>): void {
  addVerb(parent, verb, async (named) => context.show(noun.name, await verb.ask(...named), thingView(noun)));
}

export function addRemove<T>(parent: Command, context: CommandContext, { name }: Noun<T>, verb: Removal<T>): void {
  addVerb(parent, verb, async (named) =>
    context.show(name, await verb.ask(...named), (_, removed) => verb.confirmation(removed, ...named)),
  );
}

function addVerb<T>(
  parent: Command,
  { usage, description, examples }: Verb<T>,
  act: (named: string[]) => Promise<void>,
): void {
  const command = parent.command(usage);
  command
    .description(description)
    .examples(...examples)
    .action(() => act(command.args));
}

export function listView<T>(noun: Noun<T>): View<readonly T[]> {
  const { headings, rows, empty } = listingOf(noun);
  return (context, things) => table(context, headings, things.flatMap(rows), empty);
}

export function thingView<T>(noun: Noun<T>): View<T> {
  const { fields: fieldsOf, below } = noun;
  if (fieldsOf === undefined) return (context, thing) => listView(noun)(context, [thing]);
  return (context, thing) => [fields(context, fieldsOf(thing)), below?.(thing)].filter(Boolean).join('\n\n');
}

export function listingOf<T>({ plural, columns, empty }: Noun<T>): Listing<T> {
  const cells = Object.values(columns);
  return { name: plural, headings: Object.keys(columns), rows: (thing) => [cells.map((cell) => cell(thing))], empty };
}
