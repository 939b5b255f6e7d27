/** The ports that systemd's socket units hold. */
import { existsSync, lstatSync } from 'node:fs';
import { SOCKET_NAMES, SOCKET_UNITS, type SocketName } from '../config/held-sockets.ts';
import { isLoopback, type Port } from '../config/units.ts';
import { removeUnit, UNIT_FOLDER, writeUnit } from './installed.ts';
import type { Machine } from './machine.ts';
import type { Step } from './steps.ts';

/** The ports to hold after `pushctl install`. */
export type Ports = Readonly<Partial<Record<SocketName, Port>>>;

export function isOpenPort({ host }: Port): boolean {
  return host === null || !isLoopback(host);
}

/** Returns the steps that let systemd hold these ports. Unnamed ports stay as they are. */
export function portSteps(machine: Machine, ports: Ports): readonly Step[] {
  return SOCKET_NAMES.flatMap((name) => {
    const port = ports[name];
    if (port === undefined) return [];
    const unit = SOCKET_UNITS[name];
    return [
      writeUnit(machine, dropInOf(name), dropIn(port)),
      {
        what: `let systemd hold port ${port.port} with ${unit}, ${PURPOSES[name]}`,
        isDone: () => isHeld(machine, name),
        carryOut: () => machine.systemctl('enable', '--quiet', unit),
      },
    ];
  });
}

export function withoutPortSteps(machine: Machine): readonly Step[] {
  return SOCKET_NAMES.flatMap((name) => {
    const unit = SOCKET_UNITS[name];
    const disable: Step = {
      what: `release the port that systemd holds with ${unit}`,
      isDone: () => !isHeld(machine, name),
      carryOut: () => machine.systemctl('disable', '--quiet', ...(machine.isRunning ? ['--now'] : []), unit),
    };
    return [
      ...(isHeld(machine, name) ? [disable] : []),
      ...(existsSync(machine.path(`${UNIT_FOLDER}/${dropInOf(name)}`)) ? [removeUnit(machine, dropInOf(name))] : []),
    ];
  });
}

/** Those that are enabled. */
export function heldPorts(machine: Pick<Machine, 'path'>): readonly SocketName[] {
  return SOCKET_NAMES.filter((name) => isHeld(machine, name));
}

const PURPOSES: Readonly<Record<SocketName, string>> = {
  https: 'instead of `listen`',
  http: 'to redirect browsers to HTTPS',
};

/** Returns whether `systemctl enable` has linked the socket, even if its target is gone. */
function isHeld(machine: Pick<Machine, 'path'>, name: SocketName): boolean {
  const link = machine.path(`${UNIT_FOLDER}/sockets.target.wants/${SOCKET_UNITS[name]}`);
  return lstatSync(link, { throwIfNoEntry: false }) !== undefined;
}

function dropInOf(name: SocketName): string {
  return `${SOCKET_UNITS[name]}.d/port.conf`;
}

/** An address may come up later than the socket. */
function dropIn({ host, port }: Port): string {
  const address = host === null ? `${port}` : `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return ['[Socket]', 'ListenStream=', `ListenStream=${address}`, ...(host === null ? [] : ['FreeBind=yes']), ''].join(
    '\n',
  );
}
