import { readdirSync, readFileSync } from 'node:fs';

export interface Thread {
  readonly id: number;
  /** What Node calls it: `MainThread`, `WorkerThread`, `V8Worker`, … */
  readonly name: string;
  /** How long it has run on a processor. */
  readonly cpuMs: number;
}

/** The threads of this process, oldest first, by the kernel's own count. */
export function threads(): readonly Thread[] {
  const folder = '/proc/self/task';
  const read = (id: number, file: string) => readFileSync(`${folder}/${id}/${file}`, 'utf8').trim();
  const ids = readdirSync(folder).map(Number);
  return ids
    .sort((one, other) => one - other)
    .map((id) => ({ id, name: read(id, 'comm'), cpuMs: Number(read(id, 'schedstat').split(' ')[0]) / 1e6 }));
}
