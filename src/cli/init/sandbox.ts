import { isDeepStrictEqual } from 'node:util';
import type { Values } from '../../config/example.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { PROVIDER_NAMES } from '../../push.ts';
import type { OpenListener } from '../../sandbox/listener.ts';
import { issueToken } from '../../sandbox/tokens.ts';
import { sandboxFolder } from '../data-folder.ts';
import { openSandbox } from '../open-sandbox.ts';
import type { NewDevice } from './first-data.ts';
import type { Flags } from './interview.ts';

/** Settings of providers, which `--sandbox` makes itself. */
const OF_PROVIDERS = new RegExp(`^(?:${PROVIDER_NAMES.join('|')})\\.`);

/** Throws an `OperatorProblem` for options of other providers. */
export function refuseProviders(flags: Flags): void {
  const named = Object.keys(flags).find((flag) => PROVIDER_NAMES.some((name) => flag.startsWith(name)));
  if (named === undefined) return;
  const option = `--${named.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new OperatorProblem(`--sandbox and ${option} name different providers`, 2, { advice: `omit ${option}` });
}

/**
 * Replaces the providers by a sandbox, and makes its missing keys in the data folder. Only `pushctl sandbox` listens
 * later, at these ports.
 */
export async function withSandbox(values: Values, dataDir: string, firstPort: number): Promise<Map<string, unknown>> {
  const options = { firstPort, acceptUnknownTokens: false, topics: [], openListener: nowhere };
  const { sandbox, settings } = await openSandbox(sandboxFolder(dataDir), options);
  await sandbox.close();
  const tables = Object.entries(settings).flatMap(([name, table]) =>
    Object.entries(table).map(([key, value]): [string, unknown] => [`${name}.${key}`, value]),
  );
  return new Map([...[...values].filter(([path]) => !OF_PROVIDERS.test(path)), ['data_dir', dataDir], ...tables]);
}

const nowhere: OpenListener = async (_serve, port) => ({
  port,
  socketFrom: () => undefined,
  close: async () => {},
});

/** Returns whether a configuration uses a sandbox with its keys in its data folder. */
export function isForSandbox(values: Values, dataDir: string): boolean {
  return String(values.get('apns.key_file')).startsWith(`${sandboxFolder(dataDir)}/`);
}

export function isSame(before: Values, after: Values): boolean {
  return isDeepStrictEqual(plain(before), plain(after));
}

/** Parsed tables have no prototype. */
function plain(values: Values): unknown {
  return JSON.parse(JSON.stringify(Object.fromEntries(values)));
}

/** Returns devices that every sandbox takes: labels give stable tokens. */
export function sandboxDevices(): readonly NewDevice[] {
  return [
    { platform: 'ios', token: issueToken({ platform: 'ios', label: 'trial iPhone' }), name: 'iPhone' },
    { platform: 'android', token: issueToken({ platform: 'android', label: 'trial Pixel' }), name: 'Pixel' },
  ];
}
