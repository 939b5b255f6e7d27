import { withoutPassword } from './database.ts';
import { type LoadOptions, readSettings } from './load.ts';
import { lookUp } from './sources.ts';

export interface ShownSetting {
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
