import { isDeepStrictEqual } from 'node:util';
import type { Config } from './config.ts';
import { withoutPassword } from './database.ts';
import { type LoadOptions, readSettings, settingIn } from './load.ts';
import { listSettings, readConfigSchema } from './settings.ts';
import { lookUp } from './sources.ts';

interface ShownSetting {
  /** The path in the file: `apns.key_file`. */
  readonly setting: string;
  /** The TOML value, with absolute file names; null: not set. */
  readonly value: unknown;
  readonly source: 'option' | 'environment' | 'file' | 'default' | 'unset';
  /** The option, variable or file path; null: none. */
  readonly from: string | null;
}

/**
 * Returns every setting with value and source, in documentation order, without secrets: they are in files, and
 * passwords in addresses are hidden. Throws like `loadConfig`.
 */
export function showSettings(options: LoadOptions): { file: string | null; settings: readonly ShownSetting[] } {
  const { settings, gathered, table } = readSettings(options);
  const { file, values, fromEnvironment } = gathered;

  function originOf(path: string): Pick<ShownSetting, 'source' | 'from'> {
    if (path === 'data_dir' && options.dataDir !== undefined) return { source: 'option', from: '--data-dir' };
    const variable = fromEnvironment.get(path);
    if (variable !== undefined) return { source: 'environment', from: variable };
    if (lookUp(values, path) !== undefined) return { source: 'file', from: file };
    return { source: lookUp(table, path) === undefined ? 'unset' : 'default', from: null };
  }

  return {
    file,
    settings: settings.map(({ path }) => ({
      setting: path,
      value: shownValue(lookUp(table, path)),
      ...originOf(path),
    })),
  };
}

function shownValue(value: unknown): unknown {
  return typeof value === 'string' ? withoutPassword(value) : (value ?? null);
}

/** A setting that differs; null: not set. */
export interface Difference {
  readonly setting: string;
  readonly running: unknown;
  readonly file: unknown;
}

/** Addresses that may contain secrets. */
const SECRET: readonly string[] = ['store.url', 'store.listen_url', 'watchdog.url'];
const HIDDEN = 'differs (not shown)';

/**
 * Returns settings that a restart would change, without secrets. The server's environment counts as equal, since
 * restarts keep it.
 */
export function differencesOf(running: Config, file: Config): readonly Difference[] {
  return listSettings(readConfigSchema()).flatMap((setting) => {
    if (running.fromEnvironment?.includes(setting.path)) return [];
    const [before, after] = [settingIn(running, setting), settingIn(file, setting)];
    if (isDeepStrictEqual(before, after)) return [];
    const isSecret = SECRET.includes(setting.path);
    const shown = (value: unknown) => (isSecret && value !== null ? HIDDEN : value);
    return [{ setting: setting.path, running: shown(before), file: shown(after) }];
  });
}
