import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { HIDDEN_FOLDERS } from './install.ts';

const DEADLINE_MS = 5_000;
const PROPERTIES = [
  'LoadState',
  'User',
  'ProtectSystem',
  'ProtectHome',
  'PrivateTmp',
  'InaccessiblePaths',
  'ReadOnlyPaths',
  'ReadWritePaths',
  'StateDirectory',
] as const;

type Properties = Readonly<Partial<Record<(typeof PROPERTIES)[number], string>>>;

/** The paths that the unit lets the service see and write, `systemctl edit pushctl` included. */
interface UnitSandbox {
  readonly user: string;
  /** Hidden folders; writable paths within stay visible. */
  readonly hidden: readonly string[];
  /** Null: everything is. */
  readonly writable: readonly string[] | null;
  readonly readOnly: readonly string[];
}

/** Reads the unit in force, or this version's if unknown to systemd. */
export function unitSandbox(): UnitSandbox {
  const properties = existsSync('/run/systemd/system')
    ? output('/usr/bin/systemctl', ['show', 'pushctl.service', `--property=${PROPERTIES.join(',')}`])
    : null;
  return sandboxOf(properties ?? '');
}

/** `text`: the output of `systemctl show`. */
export function sandboxOf(text: string): UnitSandbox {
  const properties: Properties = Object.fromEntries(text.split('\n').map((line) => line.split(/=(.*)/s, 2)));
  const { LoadState, User, ProtectSystem, ProtectHome, PrivateTmp, StateDirectory } = properties;
  if (LoadState !== 'loaded') {
    return {
      user: 'pushctl',
      hidden: HIDDEN_FOLDERS,
      writable: ['/var/lib/pushctl', '/var/backups/pushctl'],
      readOnly: [],
    };
  }
  const state = pathsIn(StateDirectory).map((name) => `/var/lib/${name}`);
  return {
    user: User || 'root',
    hidden: [
      ...(/^(yes|tmpfs)$/.test(ProtectHome ?? '') ? ['/home', '/root', '/run/user'] : []),
      ...(PrivateTmp === 'yes' ? ['/tmp', '/var/tmp'] : []),
      ...pathsIn(properties.InaccessiblePaths),
    ],
    writable: ProtectSystem === 'strict' ? [...state, ...pathsIn(properties.ReadWritePaths)] : null,
    readOnly: [
      ...(/^(yes|full)$/.test(ProtectSystem ?? '') ? ['/usr', '/boot', '/efi'] : []),
      ...(ProtectSystem === 'full' ? ['/etc'] : []),
      ...(ProtectHome === 'read-only' ? ['/home', '/root', '/run/user'] : []),
      ...pathsIn(properties.ReadOnlyPaths),
    ],
  };
}

/** Returns the folder that hides a path; null: none. */
export function hiddenBy({ hidden }: UnitSandbox, path: string): string | null {
  return hidden.find((folder) => isWithin(path, folder)) ?? null;
}

export function isWritableIn({ writable, readOnly }: UnitSandbox, path: string): boolean {
  if (writable !== null) return writable.some((folder) => isWithin(path, folder));
  return !readOnly.some((folder) => isWithin(path, folder));
}

/** Null: the command failed. */
export function output(command: string, args: readonly string[]): string | null {
  try {
    return execFileSync(command, args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: DEADLINE_MS,
      encoding: 'utf8',
    });
  } catch {
    return null;
  }
}

function isWithin(path: string, folder: string): boolean {
  return `${path}/`.startsWith(`${folder.replace(/\/$/, '')}/`);
}

/** Parses systemd's list of paths: blank-separated, quoted, with `-` and `+` prefixes. */
function pathsIn(list = ''): readonly string[] {
  const words = list.match(/(?:"(?:[^"\\]|\\.)*"|\\.|[^\s"\\])+/g) ?? [];
  return words.map((word) => word.replaceAll(/"|\\(?=.)/g, '').replace(/^[-+]+/, '')).filter((path) => path !== '');
}
