/** Run as a process of its own: opens the store of a data folder, creates the workspace `acknowledged`, and stays. */
import { openStoreThread } from '../../src/store/carriers/thread-client.ts';
import { someSettings } from './store.ts';

const dataDir = process.argv[2] ?? '';
try {
  const store = await openStoreThread({ dataDir, settings: someSettings() });
  await store.createWorkspace({ slug: 'acknowledged' });
  process.send?.({ open: true });
} catch (error) {
  process.send?.({ problem: (error as Error).message });
  process.disconnect();
}
