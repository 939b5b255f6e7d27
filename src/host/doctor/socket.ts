import type { Config } from '../../config/config.ts';
import { SOCKET_UNITS, type SocketName } from '../../config/held-sockets.ts';
import type { ServerStatus } from '../../health/server-status.ts';
import { type Finding, fail, ok, warn } from '../../process/finding.ts';
import type { Machine } from '../machine.ts';
import { heldPorts } from '../ports.ts';
import { output } from '../unit-sandbox.ts';

export interface SocketState {
  readonly unit: (typeof SOCKET_UNITS)[SocketName];
  /** `active`, `failed` and so on, from systemd. */
  readonly state: string;
  /** `[::]:443`; empty where systemd does not say. */
  readonly address: string;
}

type SocketStates = Readonly<Partial<Record<SocketName, SocketState>>>;

/** Returns the ports that systemd holds, by enabled units. */
export function socketStates(machine: Pick<Machine, 'path'>): SocketStates {
  return Object.fromEntries(heldPorts(machine).map((name) => [name, stateOf(SOCKET_UNITS[name])]));
}

function stateOf(unit: SocketState['unit']): SocketState {
  const properties = output('/usr/bin/systemctl', ['show', unit, '--property=ActiveState,Listen']) ?? '';
  const [, state = 'unknown'] = /^ActiveState=(.*)$/m.exec(properties) ?? [];
  const [, address = ''] = /^Listen=(\S+)/m.exec(properties) ?? [];
  return { unit, state, address };
}

/**
 * Checks that the service listens where systemd is configured to. `server`: null if it does not run, so its sockets are
 * closed.
 */
export function checkSockets(
  sockets: SocketStates,
  server: Pick<ServerStatus, 'url' | 'socket' | 'redirects_from'> | null,
  { baseUrl, tls }: Pick<Config, 'baseUrl' | 'tls'>,
): Finding[] {
  if (server === null) return [];
  const { https, http } = sockets;
  return [
    ...(https ? [judged(https, server.socket !== null, `the server listens on ${server.url}`)] : []),
    ...(http ? [judged(http, server.redirects_from !== null, 'nothing redirects to HTTPS')] : []),
    // ACME names the server.
    ...(server.socket !== null && baseUrl === null && !tls?.acme ? [WITHOUT_BASE_URL] : []),
  ];
}

const WITHOUT_BASE_URL = warn(
  'base_url',
  'is not set, so commands and links use `listen`, but systemd holds another port for the server',
  'set it to the address that clients use: https://push.example.com/api',
);

function judged({ unit, state, address }: SocketState, isUsed: boolean, instead: string): Finding {
  if (isUsed) return ok(unit, `systemd holds ${address} for the server, also during restarts`);
  return fail(
    unit,
    `should hold ${address} for the server and does not (${state}): ${instead}`,
    `see why (another process may use the port): systemctl status ${unit}; then: systemctl stop pushctl; systemctl start pushctl`,
  );
}
