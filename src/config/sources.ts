import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { OperatorProblem } from '../process/problem.ts';
import { nearest } from '../values/nearest.ts';
import { type Config, SYSTEM_CONFIG_FILE } from './config.ts';
import type { Setting } from './settings.ts';

/** The folder of root's copies for the service: see host/credential-copy.ts. */
const HANDED_OVER_VARIABLE = 'PUSHCTL_HANDED_OVER';
const COPY_DIGITS = 12;
/** Variables of the command line, not settings. */
const OTHER_VARIABLES = ['PUSHCTL_CONFIG', 'PUSHCTL_API_KEY', HANDED_OVER_VARIABLE];
/** Kubernetes sets these beside a Service named pushctl. */
const FROM_KUBERNETES = /^PUSHCTL_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_.*)?)$/;

export type ProcessEnv = Readonly<Record<string, string | undefined>>;
export type Table = { [name: string]: unknown };

/** Unchecked values of file and environment. `fromEnvironment`: the variable by setting. */
export interface Gathered {
  readonly file: string | null;
  /** The file's contents; empty: none. */
  readonly text: string;
  readonly values: Table;
  readonly fromEnvironment: ReadonlyMap<string, string>;
  readonly handedOver: Config['handedOver'];
  readonly mistakes: readonly string[];
}

/** Reads the file, overridden by the environment. `option` null: no file. */
export function gather(settings: readonly Setting[], env: ProcessEnv, option: string | null | undefined): Gathered {
  const file = chooseFile(env, option);
  const handedOver = env[HANDED_OVER_VARIABLE] || null;
  const text = file === null ? '' : readText(file, handedOver);
  const values = file === null ? {} : parseTable(file, text);
  const fromEnvironment = new Map<string, string>();
  for (const setting of settings) {
    const text = env[setting.variable];
    if (text === undefined || text === '') continue;
    place(values, setting.path, fromText(setting, text));
    fromEnvironment.set(setting.path, setting.variable);
  }
  anchorPaths(values, settings, (path) => (file === null || fromEnvironment.has(path) ? process.cwd() : dirname(file)));
  return {
    file,
    text,
    values,
    fromEnvironment,
    handedOver: handedOver === null ? {} : copiesIn(handedOver, namedFiles(values, settings)),
    mistakes: unknownVariables(settings, env),
  };
}

export function namedFiles(values: Table, settings: readonly Setting[]): ReadonlyMap<string, string> {
  const named = settings.flatMap(({ path, type }): [string, string][] => {
    const file = type === 'file' ? lookUp(values, path) : undefined;
    return typeof file === 'string' && file !== '' ? [[path, file]] : [];
  });
  return new Map(named);
}

/** Returns the path of root's copy. Its name contains the original's path, since settings change or are overridden. */
export function copyPath(folder: string, setting: string, file: string): string {
  return join(folder, `${setting}-${createHash('sha256').update(file).digest('hex').slice(0, COPY_DIGITS)}`);
}

function copiesIn(folder: string, named: ReadonlyMap<string, string>): Config['handedOver'] {
  return Object.fromEntries([...named].map(([path, file]) => [file, copyPath(folder, path, file)]));
}

/** Returns the file for `gather`; null: none. */
export function chooseFile(env: ProcessEnv, option: string | null | undefined): string | null {
  if (option === null) return null;
  const named = option ?? (env.PUSHCTL_CONFIG || undefined);
  if (named !== undefined) return resolve(named);
  return existsSync(SYSTEM_CONFIG_FILE) ? SYSTEM_CONFIG_FILE : null;
}

/** Parses TOML without checks. Throws an `OperatorProblem` if invalid. */
export function readTable(file: string): Table {
  return parseTable(file, readText(file, null));
}

function parseTable(file: string, text: string): Table {
  try {
    return parse(text, { unsafeKeyBehaviour: 'throw' }) as Table;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The rest quotes the file, possibly secrets.
    const [what = ''] = error.message.split('\n');
    throw new OperatorProblem(`${file}:${error.line}:${error.column}: ${what}`, 2);
  }
}

function readText(file: string, handedOver: string | null): string {
  const copy = handedOver === null ? file : join(handedOver, basename(file));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(existsSync(copy) ? copy : file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw new OperatorProblem(`${file} is not UTF-8 text`, 2);
    throw new OperatorProblem(`cannot read the configuration ${file} (${code})`, 2, {
      advice: ADVICE[code ?? ''] ?? 'check its path and mode',
    });
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist; set another with --config or PUSHCTL_CONFIG',
  EACCES: 'run pushctl as root or as the user of the service, or set another file with --config',
  EISDIR: 'it is a folder; use the file in it',
};

/** Makes file names absolute, from the configuration's folder. */
function anchorPaths(values: Table, settings: readonly Setting[], folderOf: (path: string) => string): void {
  for (const { path, type } of settings) {
    if (type !== 'file' && path !== 'data_dir') continue;
    const name = lookUp(values, path);
    if (typeof name === 'string' && name !== '') place(values, path, resolve(folderOf(path), name));
  }
}

function fromText({ kind }: Setting, text: string): unknown {
  if (kind === 'integer') return /^\d{1,15}$/.test(text) ? Number(text) : text;
  if (kind === 'boolean') return text === 'true' || (text === 'false' ? false : text);
  if (kind === 'array') return entriesIn(text);
  if (kind === 'object') return Object.fromEntries(entriesIn(text).map(pairIn));
  return text;
}

/** Formats a value for its environment variable. */
export function toText(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  if (!isTable(value)) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name}=${inner}`)
    .join(',');
}

export function entriesIn(text: string): string[] {
  return text.split(',').map((entry) => entry.trim());
}

/** Splits `name=value`. The check reports anything that is no pair. */
function pairIn(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function unknownVariables(settings: readonly Setting[], env: ProcessEnv): string[] {
  const known = [...settings.map(({ variable }) => variable), ...OTHER_VARIABLES];
  const isUnknown = (name: string) =>
    name.startsWith('PUSHCTL_') && !known.includes(name) && !FROM_KUBERNETES.test(name);
  return Object.keys(env)
    .filter(isUnknown)
    .map((name) => {
      const meant = nearest(name, known);
      return `${name}: no such setting${meant === null ? '' : `; did you mean ${meant}?`}`;
    });
}

export function lookUp(values: Table, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (isTable(at) ? at[name] : undefined), values);
}

export function place(values: Table, path: string, value: unknown): void {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    values[name] = value;
    return;
  }
  const inner = values[name] ?? {};
  // The check reports values that are not tables.
  if (isTable(inner)) {
    values[name] = inner;
    place(inner, rest.join('.'), value);
  }
}

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
