import { styleText } from 'node:util';
import type { Config } from '../config/config.ts';
import type { LoadOptions } from '../config/load.ts';
import type { FieldProblem } from '../contract/details.ts';
import { OperatorProblem, type ProblemDetails } from '../process/problem.ts';
import { isRefusal, type Refusal, type StoreClient } from '../store/calls.ts';
import type { Loaded } from './loaded.ts';
import { printable, printableJson, printableStyled } from './output/printable.ts';

export interface GlobalOptions {
  readonly config?: string;
  readonly dataDir?: string;
  readonly json?: boolean;
  readonly color: boolean;
}

interface StoreOptions {
  readonly canCreate: boolean;
}

/** The command's process, by the global options. */
export interface CommandContext {
  readonly process: NodeJS.Process;
  readonly options: GlobalOptions;
  sources(): LoadOptions;
  /** Reads the configuration that options and environment name. Throws `BrokenConfig` with every mistake. */
  ownConfig(): Promise<Config>;
  /** Reads the same for commands that servers can answer. If it has mistakes, returns the server's, with a note. */
  config(): Promise<Config>;
  /** Reads it for commands that report mistakes in their own way. */
  loaded(): Promise<Loaded>;
  /**
   * Opens the store, through a running server if possible, and closes it afterwards. Only an installation's first
   * command creates a database, never beside an installed service without asking.
   */
  withStore<T>(use: (store: StoreClient) => Promise<T>, options?: StoreOptions): Promise<T>;
  /** Does the same for commands of the service's group, over the reading socket. */
  withReadableStore<T>(use: (store: StoreClient) => Promise<T>): Promise<T>;
  /** Asks the store and prints the answer: under this name in the document, else as `view` formats it. */
  show<T>(
    name: string,
    ask: (store: StoreClient) => Promise<T | Refusal>,
    view: (context: CommandContext, answer: T) => string,
    options?: StoreOptions,
  ): Promise<void>;
  /** Prints on stdout: the document with `--json`, else the text. */
  print(document: unknown, human: () => string): void;
  /** Prints a line for people on stderr: progress, advice. */
  note(text: string): void;
  /** Returns whether standard output is a terminal to draw on. */
  canDraw(): boolean;
  heading(text: string): string;
}

export function createContext(process: NodeJS.Process, options: () => GlobalOptions): CommandContext {
  function sources(): LoadOptions {
    const { config: file, dataDir } = options();
    return { env: process.env, file, dataDir, uid: process.getuid?.() };
  }

  let loading: Promise<Loaded> | null = null;
  let isNoted = false;

  function loaded(): Promise<Loaded> {
    loading ??= import('./loaded.ts').then(({ loadOrAsk }) => loadOrAsk(sources()));
    return loading;
  }

  async function noted(): Promise<Loaded> {
    const found = await loaded();
    if (found.broken !== null && !isNoted) {
      const { noteOnBroken } = await import('./loaded.ts');
      context.note(noteOnBroken(found.broken));
      isNoted = true;
    }
    return found;
  }

  const context: CommandContext = {
    process,
    get options() {
      return options();
    },
    sources,
    async ownConfig() {
      const { loadConfig } = await import('../config/load.ts');
      return loadConfig(sources());
    },
    config: async () => (await noted()).config,
    loaded,
    async withStore(use, { canCreate } = { canCreate: false }) {
      const { withRunningStoreOf, withStoreOf } = await import('./store.ts');
      const { isOthers, onData } = await import('./data-folder.ts');
      const { config, broken } = await noted();
      if (broken !== null) return withRunningStoreOf(config, use);
      return onData(context, config, (location) => withStoreOf(config, use, canCreate && !isOthers(location)));
    },
    async withReadableStore(use) {
      const { withReadableStoreOf } = await import('./store.ts');
      const { readSocketOf } = await import('./data-folder.ts');
      const path = readSocketOf(context, await context.config());
      return path === null ? context.withStore(use) : withReadableStoreOf(path, use);
    },
    async show(name, ask, view, options) {
      const answer = unwrap(await context.withStore(ask, options));
      context.print({ [name]: answer }, () => view(context, answer));
    },
    print(document, human) {
      process.stdout.write(`${options().json ? printableJson(document) : printableStyled(human())}\n`);
    },
    note(text) {
      process.stderr.write(`${printable(text)}\n`);
    },
    canDraw: () => process.stdout.isTTY === true && process.env.TERM !== 'dumb',
    heading: (text) => styleText('bold', text, { stream: process.stdout }),
  };
  return context;
}

/** Returns the answer, or throws the refusal. Malformed arguments exit with 2, like wrong options. */
export function unwrap<T>(answer: T | Refusal): T {
  if (!isRefusal(answer)) return answer;
  const { refused: code, message, hint: advice, detail } = answer;
  const details = { code, ...(advice !== undefined && { advice }) };
  if (detail?.field === undefined) throw new OperatorProblem(message, 1, details);
  throw wrongArgument({ field: detail.field, message }, details);
}

type ArgumentFault = Pick<FieldProblem, 'field' | 'message'>;

/** Returns the error for a malformed argument. */
export function wrongArgument(fault: ArgumentFault, details?: ProblemDetails): OperatorProblem {
  return new OperatorProblem(argumentSentence(fault), 2, details);
}

/** Returns the sentence without the word "field", since a command has none: "The url must be …". */
export function argumentSentence({ field, message }: ArgumentFault): string {
  return message.replace(`The ${field} field `, `The ${field} `);
}
