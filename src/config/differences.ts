import { isDeepStrictEqual } from 'node:util';
import { settingIn } from './build.ts';
import type { Config } from './config.ts';
import { listSettings, readConfigSchema } from './settings.ts';

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
