import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'smol-toml';
import { OperatorProblem } from '../process/problem.ts';
import { PROVIDER_NAMES } from '../push.ts';
import { camelCase } from '../values/json.ts';
import { findMistakes } from './check.ts';
import type { Config } from './config.ts';
import { listSettings, readConfigSchema, type Setting } from './settings.ts';
import { chooseFile, type Gathered, gather, isTable, lookUp, type ProcessEnv, place, type Table } from './sources.ts';
import { durationOf, listenText, type Place, parseDurationMs, parseListen, parseSizeBytes, sizeOf } from './units.ts';

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

const TABLE = /^\s*\[\s*([^[\]]+?)\s*\]/;
const KEY = /^\s*([^\s=#[][^=#]*?)\s*=/;

/** Returns a setting's line (from 1 on), else its table's; null: neither is there. */
function lineOf(text: string, path: string): number | null {
  let table = '';
  let around: number | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const [, header] = TABLE.exec(line) ?? [];
    const [, key] = KEY.exec(line) ?? [];
    if (header !== undefined) table = `${plainName(header)}.`;
    const here = header === undefined ? table + plainName(key ?? '') : plainName(header);
    if (header === undefined && key === undefined) continue;
    if (here === path) return index + 1;
    if (path.startsWith(`${here}.`)) around ??= index + 1;
  }
  return around;
}

function plainName(name: string): string {
  return name.replaceAll(/["'\s]/g, '');
}

/** Returns the data folder of an unparsable file; null: none. */
function dataDirDespite(file: string): string | null {
  try {
    const lines = readFileSync(file, 'latin1').split('\n');
    const end = lines.findIndex((line) => TABLE.test(line));
    const line = lines.slice(0, end === -1 ? lines.length : end).find((text) => /^\s*data_dir\s*=/.test(text));
    const named = line === undefined ? null : parse(Buffer.from(line, 'latin1').toString('utf8')).data_dir;
    return typeof named === 'string' && named !== '' ? resolve(dirname(file), named) : null;
  } catch {
    return null;
  }
}

/** The data folder of a broken configuration, and its source. */
export interface FoundDataDir {
  readonly path: string;
  readonly from: '--data-dir' | 'PUSHCTL_DATA_DIR' | 'data_dir in the file' | 'the default';
  /** The named file is missing, so it may be another installation's. */
  readonly isGuess: boolean;
}

/** An unreadable or wrong configuration. A running server keeps the one from its start. */
export class BrokenConfig extends OperatorProblem {
  /** A line per mistake, with its place; or why the file cannot be read, with advice. */
  readonly mistakes: string;
  readonly dataDir: FoundDataDir;
  readonly file: string | null;

  constructor(
    what: string,
    mistakes: readonly string[],
    found: { readonly file: string | null; readonly dataDir: FoundDataDir },
    advice: string | null = null,
  ) {
    super(mistakes.length === 0 ? what : [`${what}; nothing was started`, ...mistakes].join('\n  '), 2, {
      code: 'wrong_configuration',
      ...(advice !== null && { advice }),
    });
    this.mistakes = mistakes.length === 0 ? this.message : [what, ...mistakes].join('\n  ');
    this.dataDir = found.dataDir;
    this.file = found.file;
  }
}

/** Tables that turn something on; null if missing. */
const OPTIONAL_TABLES: readonly string[] = [
  'store',
  'tls',
  'tls.acme',
  'oidc',
  'watchdog',
  'backup',
  ...PROVIDER_NAMES,
];

/** Returns the missing optional table of a setting, the outermost of several. */
function missingTable(table: Table, path: string): string | undefined {
  return OPTIONAL_TABLES.find((name) => path.startsWith(`${name}.`) && !isTable(lookUp(table, name)));
}

interface Conversion {
  readonly unit: string;
  readonly parse: (text: string) => unknown;
  readonly format: (value: unknown) => string;
}

/** Conversions of texts and back, by type in schemas/config.json. `unit`: suffix of the name. */
const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  duration: { unit: 'Ms', parse: parseDurationMs, format: (ms) => durationOf(Number(ms)) },
  size: { unit: 'Bytes', parse: parseSizeBytes, format: (bytes) => sizeOf(Number(bytes)) },
  listen: { unit: '', parse: parseListen, format: (place) => listenText(place as Place) },
};

/**
 * Converts checked settings: `delivery.retry_first = "5s"` to `delivery.retryFirstMs: 5000`. Missing ones become null.
 */
function buildConfig(table: Table, settings: readonly Setting[]): Omit<Config, 'handedOver'> {
  const built: Table = {};
  for (const { path, type } of settings) {
    const missing = missingTable(table, path);
    if (missing !== undefined) {
      place(built, missing, null);
      continue;
    }
    const value = lookUp(table, path) ?? null;
    const { unit = '', parse } = CONVERSIONS[type ?? ''] ?? {};
    place(built, camelCase(path) + unit, parse && value !== null ? parse(String(value)) : value);
  }
  const config = built as unknown as Omit<Config, 'handedOver'>;
  const { eventsMs, deliveriesMs } = config.retention;
  // Deliveries end with their event at the latest.
  return { ...config, retention: { ...config.retention, deliveriesMs: Math.min(deliveriesMs, eventsMs) } };
}

/** Returns a setting's value in the file's form; null: not set. */
export function settingIn(config: Config, { path, type }: Setting): unknown {
  const { unit = '', format } = CONVERSIONS[type ?? ''] ?? {};
  const value = lookUp(config as unknown as Table, camelCase(path) + unit) ?? null;
  return format && value !== null ? format(value) : value;
}
