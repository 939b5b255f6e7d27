import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Machine } from './machine.ts';
import type { Step } from './steps.ts';

export const UNIT = 'pushctl.service';
/** The folder of operators' units and drop-ins. */
export const UNIT_FOLDER = '/etc/systemd/system';
/** The units of `pushctl install` and of the Debian package. */
const UNIT_FILE = `${UNIT_FOLDER}/${UNIT}`;
const PACKAGED_UNIT_FILES = [`/lib/systemd/system/${UNIT}`, `/usr/lib/systemd/system/${UNIT}`];

/** Returns the data folder in the service's unit; null: no service. */
export function serviceDataDir(root = '/'): string | null {
  for (const file of [UNIT_FILE, ...PACKAGED_UNIT_FILES]) {
    const [, name] = /^StateDirectory=([\w-]+)/m.exec(contentOf(join(root, file)) ?? '') ?? [];
    if (name !== undefined) return join('/var/lib', name);
  }
  return null;
}

/** Returns the program of an installed unit; null: none, or not by `install`. */
export function installedLauncher(machine: Pick<Machine, 'path'>): string | null {
  const unit = contentOf(machine.path(UNIT_FILE)) ?? '';
  return /^ExecStart="(\/.*\/bin\/pushctl)" serve$/m.exec(unit)?.[1] ?? null;
}

export function packagedUnit(machine: Pick<Machine, 'path'>): string | undefined {
  return PACKAGED_UNIT_FILES.find((file) => existsSync(machine.path(file)));
}

/** Null: missing or unreadable. */
export function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** `name`: of the unit, or `pushctl.service.d/data-dir.conf`. */
export function writeUnit(machine: Machine, name: string, text: string): Step {
  const file = machine.path(join(UNIT_FOLDER, name));
  return {
    what: `write the unit ${join(UNIT_FOLDER, name)}`,
    isDone: () => existsSync(file) && readFileSync(file, 'utf8') === text,
    carryOut: () => {
      mkdirSync(dirname(file), { recursive: true });
      // Removed packages leave links to /dev/null.
      rmSync(file, { force: true });
      writeFileSync(file, text);
      chmodSync(file, 0o644);
    },
  };
}

export function removeUnit(machine: Machine, name: string): Step {
  const file = machine.path(join(UNIT_FOLDER, name));
  return {
    what: `remove the unit ${join(UNIT_FOLDER, name)}`,
    isDone: () => !existsSync(file),
    carryOut: () => {
      rmSync(file);
      const folder = dirname(file);
      // Removes a drop-in's empty folder.
      if (folder.endsWith('.d') && readdirSync(folder).length === 0) rmdirSync(folder);
      if (machine.isRunning) machine.systemctl('daemon-reload');
    },
  };
}
