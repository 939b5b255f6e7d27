import { withoutPassword } from './database.ts';
import { type LoadOptions, readSettings } from './load.ts';
import { lookUp } from './sources.ts';

/** A setting's effective value, and where it comes from. */
export interface ShownSetting {
  /** As in the file: `apns.key_file`. */
  readonly setting: string;
  /** As it would be written, with absolute file names. null: not set. */
  readonly value: unknown;
  readonly source: 'option' | 'environment' | 'file' | 'default' | 'unset';
  /** The option, the variable, or the file with its path; null: none of them. */
  readonly from: string | null;
}

/**
 * Every setting with its value and its source, in the order of the documentation. No secrets: these are in files, of
 * which the settings have only the names; a password in an address is not shown. Throws as `loadConfig` does.
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
