import { isDeepStrictEqual } from 'node:util';
import type { Values } from '../../config/example.ts';
import { LARGEST_PORT, parseListen } from '../../config/units.ts';
import { tryToListen } from '../../host/doctor/server.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { PROVIDER_NAMES } from '../../push.ts';
import { HOST, type OpenListener, urlOf } from '../../sandbox/listener.ts';
import { issueToken, portsFrom } from '../../sandbox/sandbox.ts';
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
 * Throws an `OperatorProblem` if the server or the sandbox of a trial could not listen. Ports of the earlier
 * configuration may be in use by the trial itself.
 */
export async function refuseTakenPorts(values: Values, earlier: Values, firstPort: number): Promise<void> {
  const problems = [
    ...(values.get('listen') === earlier.get('listen') ? [] : await listenProblems(values, firstPort)),
    ...(earlier.get('apns.endpoint_production') === urlOf({ port: firstPort }) ? [] : await portProblems(firstPort)),
  ];
  if (problems.length > 0) throw new OperatorProblem(['nothing was written', ...problems].join('\n  '));
}

async function listenProblems(values: Values, firstPort: number): Promise<readonly string[]> {
  const listen = parseListen(String(values.get('listen')));
  if (listen === null) return [];
  const { host, port } = listen;
  const advice = 'choose another for the server: --listen 127.0.0.1:8090';
  if (portsFrom(firstPort).includes(port)) return [`port ${port} is a port of the sandbox: ${advice}`];
  return (await tryToListen(host, port)) === 'EADDRINUSE' ? [`port ${port} is in use: ${advice}`] : [];
}

async function portProblems(firstPort: number): Promise<readonly string[]> {
  const ports = portsFrom(firstPort);
  const advice = `choose the first of ${ports.length} others for the sandbox: --sandbox 3000`;
  if (ports.some((port) => port > LARGEST_PORT)) return [`ports end at ${LARGEST_PORT}: ${advice}`];
  const codes = await Promise.all(ports.map((port) => tryToListen(HOST, port)));
  const taken = ports.filter((_, place) => codes[place] === 'EADDRINUSE');
  if (taken.length === 0) return [];
  return [
    `port${taken.length === 1 ? '' : 's'} ${taken.join(', ')} ${taken.length === 1 ? 'is' : 'are'} in use: ${advice}`,
  ];
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
