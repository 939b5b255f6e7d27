import { spawnSync } from 'node:child_process';

/** A network of its own has all ports that a page names. */
export const ALONE = [
  'unshare',
  '--map-root-user',
  '--net',
  'sh',
  '-c',
  'ip link set lo up && exec "$@"',
  'sh',
] as const;

export function isAlonePossible(): boolean {
  const [command, ...args] = ALONE;
  return spawnSync(command, [...args, 'true']).status === 0;
}
