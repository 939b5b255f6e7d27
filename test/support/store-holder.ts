/**
 * Run as a process of its own: opens the store of a data folder, creates the workspace `acknowledged`, and stays. As
 * another user, where one is named: only once all is loaded, as that user may not be able to read the checkout.
 */
import Database from 'better-sqlite3';
import { openLocalStore } from '../../src/store/transports/socket-or-in-process.ts';
import { someSettings } from './store.ts';

const [, , dataDir = '', uid] = process.argv;
if (uid !== undefined) become(Number(uid));
try {
  const store = openLocalStore({ dataDir, settings: someSettings() });
  await store.createWorkspace({ slug: 'acknowledged' });
  process.send?.({ open: true });
  process.once('disconnect', () => store.close()); // What nothing refers to any more would be closed.
} catch (error) {
  process.send?.({ problem: (error as Error).message });
  process.disconnect();
}

function become(user: number): void {
  new Database(':memory:').close();
  process.setgroups?.([]);
  process.setgid?.(user);
  process.setuid?.(user);
}
