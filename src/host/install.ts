import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SYSTEM_CONFIG_FILE } from '../config/config.ts';
import { SOCKET_NAMES, SOCKET_UNITS, type SocketName } from '../config/held-sockets.ts';
import { OperatorProblem } from '../process/problem.ts';
import { changeableByOthers, replaceableByOthers } from './credential-copy.ts';
import { contentOf, installedLauncher, packagedUnit, removeUnit, UNIT, UNIT_FOLDER, writeUnit } from './installed.ts';
import type { Machine } from './machine.ts';
import { heldPorts, type Ports, portSteps, withoutPortSteps } from './ports.ts';
import type { Step } from './steps.ts';

/** The service, its keys, and its optional sockets. */
export const UNITS = [
  UNIT,
  'pushctl-credentials.service',
  'pushctl-credentials.timer',
  ...Object.values(SOCKET_UNITS),
] as const;
const LINK = '/usr/local/bin/pushctl';
const MAN_PAGE = '/usr/local/share/man/man1/pushctl.1.gz';
/** The unit hides these from the service. */
export const HIDDEN_FOLDERS = ['/home', '/root', '/run/user', '/tmp', '/var/tmp'];

/** The drop-in for another data folder than the unit's. */
const DATA_DIR_DROP_IN = `${UNIT}.d/data-dir.conf`;
const DATA_DIR = '/var/lib/pushctl';
/** The runtime directory of pushctl-credentials.service. */
const COPIES = '/run/pushctl';

/** Lets the service write to a data folder anywhere, even before it exists. */
export function dataDirDropIn(dataDir: string): string {
  return `[Service]\nReadWritePaths="-${dataDir}"\n`;
}

/** Files beside the link. `manual`: the compressed man page. */
export interface InstalledTexts {
  readonly units: readonly { readonly name: string; readonly text: string }[];
  readonly config: string;
  readonly manual: Buffer;
  readonly dataDir?: string | null;
  readonly ports?: Ports;
}

export interface InstallTarget {
  readonly machine: Machine;
  readonly packageDir: string;
}

/** Returns the steps to a running, enabled service. Throws `OperatorProblem` if it could not run from its folder. */
export function installSteps({ machine, packageDir }: InstallTarget, texts: InstalledTexts): readonly Step[] {
  const ports = portSteps(machine, texts.ports ?? {});
  // The rest is there already.
  if (ports.length > 0 && packagedUnit(machine) !== undefined) return [...ports, ...startSteps(machine, ports)];
  refusePackaged(machine);
  requireReadable(packageDir, machine);
  requireOwn(packageDir, machine);
  const launcher = join(packageDir, 'bin/pushctl');
  return [
    {
      what: 'create the user pushctl, and the group pushctl-keys for copies of its keys',
      isDone: () =>
        /^pushctl:/m.test(contentOf(machine.path('/etc/passwd')) ?? '') &&
        /^pushctl-keys:/m.test(contentOf(machine.path('/etc/group')) ?? ''),
      carryOut: () => machine.sysusers('--inline', 'u pushctl - "pushctl server" /var/lib/pushctl', 'g pushctl-keys -'),
    },
    {
      what: `write the configuration ${SYSTEM_CONFIG_FILE}, which explains every setting`,
      isDone: () => existsSync(machine.path(SYSTEM_CONFIG_FILE)),
      carryOut: () => {
        mkdirSync(dirname(machine.path(SYSTEM_CONFIG_FILE)), { recursive: true, mode: 0o700 });
        writeFileSync(machine.path(SYSTEM_CONFIG_FILE), texts.config, { mode: 0o600, flag: 'wx' });
      },
    },
    ...texts.units.map(({ name, text }) =>
      writeUnit(machine, name, text.replace('=/usr/bin/pushctl ', `="${launcher}" `)),
    ),
    ...dataDirSteps(machine, texts.dataDir ?? null),
    {
      what: `link ${LINK} to ${launcher}`,
      isDone: () => targetOf(machine.path(LINK)) === launcher,
      carryOut: () => {
        mkdirSync(dirname(machine.path(LINK)), { recursive: true });
        rmSync(machine.path(LINK), { force: true });
        symlinkSync(launcher, machine.path(LINK));
      },
    },
    {
      what: `write the man page ${MAN_PAGE}`,
      isDone: () => existsSync(machine.path(MAN_PAGE)) && readFileSync(machine.path(MAN_PAGE)).equals(texts.manual),
      carryOut: () => {
        mkdirSync(dirname(machine.path(MAN_PAGE)), { recursive: true });
        writeFileSync(machine.path(MAN_PAGE), texts.manual);
        chmodSync(machine.path(MAN_PAGE), 0o644);
      },
    },
    ...ports,
    ...startSteps(machine, ports),
  ];
}

/**
 * Returns the steps that remove the service. Configuration, data and user stay. If the Debian package was installed
 * over it, the package's service replaces it on the same ports.
 */
export function uninstallSteps({ machine, packageDir }: InstallTarget): readonly Step[] {
  const installed = installedLauncher(machine);
  if (installed === null) refusePackaged(machine);
  const launcher = installed ?? join(packageDir, 'bin/pushctl');
  const packaged = packagedUnit(machine);
  const kept = packaged === undefined ? [] : heldPorts(machine);
  // The package's unit also names only the usual folder.
  const hasDropIn = packaged === undefined && existsSync(machine.path(join(UNIT_FOLDER, DATA_DIR_DROP_IN)));
  return [
    {
      what: machine.isRunning ? 'stop and disable the service' : 'disable the service',
      isDone: () => !existsSync(machine.path(join(UNIT_FOLDER, UNIT))),
      carryOut: () => machine.systemctl('disable', '--quiet', ...(machine.isRunning ? ['--now'] : []), UNIT),
    },
    ...(packaged === undefined ? [...withoutPortSteps(machine), removeCopies(machine)] : []),
    ...UNITS.map((name) => removeUnit(machine, name)),
    ...(hasDropIn ? [removeUnit(machine, DATA_DIR_DROP_IN)] : []),
    {
      what: `remove the link ${LINK}`,
      isDone: () => targetOf(machine.path(LINK)) !== launcher,
      carryOut: () => rmSync(machine.path(LINK)),
    },
    {
      what: `remove the man page ${MAN_PAGE}`,
      isDone: () => !existsSync(machine.path(MAN_PAGE)),
      carryOut: () => rmSync(machine.path(MAN_PAGE)),
    },
    ...kept.map((name) => enableAnew(machine, name)),
    ...(packaged === undefined ? [] : [enableService(machine), ...startSteps(machine)]),
  ];
}

function dataDirSteps(machine: Machine, dataDir: string | null): readonly Step[] {
  if (dataDir === null || `${dataDir}/`.startsWith(`${DATA_DIR}/`)) return [];
  return [
    {
      what: `create the data folder ${dataDir} for the service`,
      isDone: () => existsSync(machine.path(dataDir)),
      carryOut: () => {
        const [, uid, gid] = /^pushctl:[^:]*:(\d+):(\d+):/m.exec(contentOf(machine.path('/etc/passwd')) ?? '') ?? [];
        mkdirSync(dirname(machine.path(dataDir)), { recursive: true });
        mkdirSync(machine.path(dataDir), { mode: 0o700 });
        // Never follows a link laid there.
        lchownSync(machine.path(dataDir), Number(uid), Number(gid));
      },
    },
    writeUnit(machine, DATA_DIR_DROP_IN, dataDirDropIn(dataDir)),
  ];
}

/** systemd keeps them across starts. */
function removeCopies(machine: Machine): Step {
  return {
    what: `remove the copies of keys in ${COPIES}`,
    isDone: () => !existsSync(machine.path(COPIES)),
    carryOut: () => rmSync(machine.path(COPIES), { recursive: true }),
  };
}

/** The links lead to removed units. */
function enableAnew(machine: Machine, name: SocketName): Step {
  return {
    what: `let systemd hold the port with ${SOCKET_UNITS[name]} of the package`,
    isDone: () => false,
    carryOut: () => machine.systemctl('reenable', '--quiet', SOCKET_UNITS[name]),
  };
}

/**
 * Returns the steps that start or restart the service; clients wait if systemd holds the port. A stopped or disabled
 * service stays so. `ports`: changed ports stop everything first, as sockets cannot be opened for a running service.
 */
function startSteps(machine: Machine, ports: readonly Step[] = []): readonly Step[] {
  const isMoved = ports.some(({ isDone }) => !isDone());
  const isUpgrade = isInstalled(machine);
  const isLeftStopped = isUpgrade && machine.isStopped(UNIT);
  const leave = {
    what: 'leave the service stopped, as it was (to start it: sudo systemctl start pushctl)',
    isDone: () => false,
    carryOut: () => machine.systemctl('daemon-reload'),
  };
  const start = {
    what: 'start the service, or restart it if it is running',
    isDone: () => false,
    carryOut: () => {
      machine.systemctl('daemon-reload');
      if (!isMoved) return machine.systemctl('restart', UNIT);
      machine.systemctl('stop', UNIT, ...SOCKET_NAMES.map((name) => SOCKET_UNITS[name]));
      machine.systemctl('start', ...heldPorts(machine).map((name) => SOCKET_UNITS[name]), UNIT);
    },
  };
  return [
    ...(isUpgrade ? [] : [enableService(machine)]),
    ...(machine.isRunning ? [isLeftStopped ? leave : start] : []),
  ];
}

function enableService(machine: Machine): Step {
  return {
    what: 'enable the service, so that it starts at boot',
    isDone: () => false,
    carryOut: () => machine.systemctl('enable', '--quiet', UNIT),
  };
}

/** The man page is written last. */
function isInstalled(machine: Machine): boolean {
  if (packagedUnit(machine) !== undefined) return true;
  return installedLauncher(machine) !== null && existsSync(machine.path(MAN_PAGE));
}

function refusePackaged(machine: Machine): void {
  const packaged = packagedUnit(machine);
  if (packaged === undefined) return;
  throw new OperatorProblem(`${packaged} belongs to the Debian package of pushctl.`, 1, {
    advice: 'Use apt to install, upgrade or remove it.',
  });
}

/** Requires that the service's user can enter, despite the unit's sandbox. */
function requireReadable(packageDir: string, machine: Machine): void {
  const advice = 'Move pushctl to a folder that every user can read, such as /opt/pushctl, and install it from there.';
  const hidden = HIDDEN_FOLDERS.find((folder) => `${packageDir}/`.startsWith(`${folder}/`));
  if (hidden !== undefined)
    throw new OperatorProblem(`pushctl is in ${packageDir}, but services cannot read ${hidden}.`, 1, {
      advice,
    });
  for (let folder = packageDir; folder !== '/'; folder = dirname(folder)) {
    const stats = statSync(machine.path(folder), { throwIfNoEntry: false });
    if (!stats)
      throw new OperatorProblem(`${folder} does not exist on that machine.`, 1, {
        advice: 'Copy pushctl there first.',
      });
    if ((stats.mode & 0o005) !== 0o005) throw new OperatorProblem(`${folder} is closed to other users.`, 1, { advice });
  }
}

/** Root and the service run this program: writers could do what both may. */
function requireOwn(packageDir: string, machine: Machine): void {
  const found = changeableByOthers(machine.path(packageDir)) ?? replaceableByOthers(machine.path(dirname(packageDir)));
  if (found === null) return;
  throw new OperatorProblem(
    `${found} can be changed by users other than root, or is a dead link. Root must not run programs there.`,
    1,
    {
      advice: `Give it to root first (chown -R root: and chmod -R go-w), or move pushctl to a folder owned by root, such as /opt/pushctl.`,
    },
  );
}

function targetOf(link: string): string | null {
  return lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(link) : null;
}
