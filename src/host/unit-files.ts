import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Machine } from './machine.ts';
import type { Step } from './steps.ts';

/** The folder of operators' units and drop-ins. */
export const UNIT_FOLDER = '/etc/systemd/system';

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
