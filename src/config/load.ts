import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { OperatorProblem } from '../process/problem.ts';
import { buildConfig, missingTable } from './build.ts';
import { findMistakes } from './check.ts';
import type { Config } from './config.ts';
import { listSettings, readConfigSchema, type Setting } from './settings.ts';
import { type Gathered, gather, lookUp, type ProcessEnv, place, type Table } from './sources.ts';

export interface LoadOptions {
  readonly env: ProcessEnv;
  /** `--config`; null: no file at all. */
  readonly file?: string | null | undefined;
  /** `--data-dir`, which wins over everything. */
  readonly dataDir?: string | undefined;
  /** The user id of the process; decides the default data folder. */
  readonly uid?: number | undefined;
}

/**
 * Reads file and environment into one frozen Config. Throws one `OperatorProblem` (exit 2) that names every mistake.
 */
export function loadConfig(options: LoadOptions): Config {
  return loadConfigFrom(options).config;
}

/** Does the same, and returns the file that was read (null: none). */
export function loadConfigFrom(options: LoadOptions): { config: Config; file: string | null } {
  const { settings, gathered, table } = readSettings(options);
  return { config: freeze({ ...buildConfig(table, settings), handedOver: gathered.handedOver }), file: gathered.file };
}

/** Returns all settings, their sources, and `table` with the defaults filled in. Throws like `loadConfig`. */
export function readSettings({ env, file, dataDir, uid }: LoadOptions): {
  settings: readonly Setting[];
  gathered: Gathered;
  table: Table;
} {
  const schema = readConfigSchema();
  const settings = listSettings(schema);
  const gathered = gather(settings, env, file);
  const mistakes = [...findMistakes(schema, settings, gathered), ...gathered.mistakes];
  if (mistakes.length > 0)
    throw new OperatorProblem(summary(gathered.file, mistakes), 2, { code: 'wrong_configuration' });
  const table = withDefaults(gathered.values, settings);
  table.data_dir = resolve(dataDir ?? String(table.data_dir ?? defaultDataDir(env, uid)));
  return { settings, gathered, table };
}

function summary(file: string | null, mistakes: readonly string[]): string {
  const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`;
  const where = file === null ? '' : ` ${file}`;
  return [`the configuration${where} has ${count}; nothing was started`, ...mistakes].join('\n  ');
}

/** Fills defaults into optional tables, but adds no table that turns something on, such as a provider's or `tls`. */
function withDefaults(values: Table, settings: readonly Setting[]): Table {
  const complete = structuredClone(values);
  for (const setting of settings) {
    if (setting.default === undefined) continue;
    if (missingTable(complete, setting.path) === undefined && lookUp(complete, setting.path) === undefined)
      place(complete, setting.path, setting.default);
  }
  return complete;
}

/** Returns the default data folder. systemd sets `$STATE_DIRECTORY`; the first of several is used. */
export function defaultDataDir(env: ProcessEnv, uid: number | undefined): string {
  const [stateDirectory] = (env.STATE_DIRECTORY ?? '').split(':');
  if (stateDirectory) return stateDirectory;
  if (uid === 0) return '/var/lib/pushctl';
  return join(userDataDir(env), 'pushctl');
}

/** Returns the folder for data of this user's programs (XDG base directories). */
export function userDataDir(env: ProcessEnv): string {
  return env.XDG_DATA_HOME || join(env.HOME || homedir(), '.local', 'share');
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}
