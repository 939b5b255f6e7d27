import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { OperatorProblem } from '../process/problem.ts';
import { BrokenConfig, type FoundDataDir } from './broken-config.ts';
import { buildConfig, missingTable } from './build.ts';
import { findMistakes } from './check.ts';
import type { Config } from './config.ts';
import { dataDirDespite, lineOf } from './setting-line.ts';
import { listSettings, readConfigSchema, type Setting } from './settings.ts';
import { chooseFile, type Gathered, gather, lookUp, type ProcessEnv, place, type Table } from './sources.ts';

export interface LoadOptions {
  readonly env: ProcessEnv;
  /** `--config`; null: no file at all. */
  readonly file?: string | null | undefined;
  /** `--data-dir`, which wins over everything. */
  readonly dataDir?: string | undefined;
  readonly uid?: number | undefined;
}

/** Reads file and environment into a frozen Config. Throws a `BrokenConfig` (exit 2) with every mistake. */
export function loadConfig(options: LoadOptions): Config {
  return loadConfigFrom(options).config;
}

/** Returns the file as well (null: none). */
export function loadConfigFrom(options: LoadOptions): { config: Config; file: string | null } {
  const { settings, gathered, table } = readSettings(options);
  const { handedOver, file, fromEnvironment } = gathered;
  const config = { ...buildConfig(table, settings), handedOver, fromEnvironment: [...fromEnvironment.keys()] };
  return { config: freeze(config), file };
}

/** Returns all settings with sources, and `table` with defaults. Throws like `loadConfig`. */
export function readSettings(options: LoadOptions): {
  settings: readonly Setting[];
  gathered: Gathered;
  table: Table;
} {
  const { env, dataDir, uid } = options;
  const schema = readConfigSchema();
  const settings = listSettings(schema);
  const gathered = gatherOrRefuse(settings, options);
  const mistakes = [...findMistakes(schema, settings, gathered), ...gathered.mistakes];
  if (mistakes.length > 0) {
    const sentences = mistakes.map((sentence) => withLine(sentence, gathered));
    throw new BrokenConfig(summary(gathered.file, mistakes.length), sentences, findDespite(options));
  }
  const table = withDefaults(gathered.values, settings);
  table.data_dir = resolve(dataDir ?? String(table.data_dir ?? defaultDataDir(env, uid)));
  return { settings, gathered, table };
}

function gatherOrRefuse(settings: readonly Setting[], options: LoadOptions): Gathered {
  try {
    return gather(settings, options.env, options.file);
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    throw new BrokenConfig(error.what, [], findDespite(options), error.advice);
  }
}

function summary(file: string | null, mistakes: number): string {
  return `the configuration${file === null ? '' : ` ${file}`} has ${mistakes === 1 ? 'a mistake' : `${mistakes} mistakes`}`;
}

/** Adds the line to a mistake, which begins with the setting's path; none for environment. */
function withLine(sentence: string, { text, fromEnvironment }: Gathered): string {
  const [path = ''] = /^[\w.]+/.exec(sentence) ?? [];
  const line = fromEnvironment.has(path) ? null : lineOf(text, path);
  return line === null ? sentence : `line ${line}: ${sentence}`;
}

/** Finds what mistakes do not hide. */
function findDespite(options: LoadOptions): { readonly file: string | null; readonly dataDir: FoundDataDir } {
  const file = chooseFile(options.env, options.file);
  return { file, dataDir: findDataDir(file, options) };
}

/** Finds the data folder: option, environment, file, default. */
function findDataDir(file: string | null, { env, dataDir, uid }: LoadOptions): FoundDataDir {
  if (dataDir !== undefined) return { path: resolve(dataDir), from: '--data-dir', isGuess: false };
  if (env.PUSHCTL_DATA_DIR) return { path: resolve(env.PUSHCTL_DATA_DIR), from: 'PUSHCTL_DATA_DIR', isGuess: false };
  const named = file && dataDirDespite(file);
  if (named) return { path: named, from: 'data_dir in the file', isGuess: false };
  return { path: defaultDataDir(env, uid), from: 'the default', isGuess: file !== null && !existsSync(file) };
}

/** Fills in defaults, but no table that turns something on, such as `tls`. */
function withDefaults(values: Table, settings: readonly Setting[]): Table {
  const complete = structuredClone(values);
  for (const setting of settings) {
    if (setting.default === undefined) continue;
    if (missingTable(complete, setting.path) === undefined && lookUp(complete, setting.path) === undefined)
      place(complete, setting.path, setting.default);
  }
  return complete;
}

/** Returns the default data folder: the first of `$STATE_DIRECTORY` under systemd. */
export function defaultDataDir(env: ProcessEnv, uid: number | undefined): string {
  const [stateDirectory] = (env.STATE_DIRECTORY ?? '').split(':');
  if (stateDirectory) return stateDirectory;
  if (uid === 0) return '/var/lib/pushctl';
  return join(userDataDir(env), 'pushctl');
}

/** Returns this user's data folder (XDG base directories). */
export function userDataDir(env: ProcessEnv): string {
  return env.XDG_DATA_HOME || join(env.HOME || homedir(), '.local', 'share');
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}
