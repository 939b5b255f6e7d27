/** Run as a process of its own: moves a store, and kills itself (-9) as soon as a row of a table has come over. */
import { move, type Place } from '../../src/store/engine-migration/move.ts';
import { NOW_MS } from './store.ts';

const { from, to, killedAt } = JSON.parse(process.argv[2] ?? '{}') as { from: Place; to: Place; killedAt: string };
await move({
  from,
  to,
  wallMs: NOW_MS,
  onProgress: ({ table }) => {
    if (table === killedAt) process.kill(process.pid, 'SIGKILL');
  },
});
