import { ask } from './ask.ts';
import type { Schema } from './client.ts';
import { kept, useKept } from './use-load.ts';

/** Current maintenance windows of all workspaces; null: unknown yet. */
export const maintenanceOn = kept<Schema<'MaintenanceList'>>();

/** Keeps `maintenanceOn` current. `loadBanner` loads the part showing windows: nothing moves later. */
export function useMaintenanceOn(loadBanner: () => Promise<unknown>): void {
  useKept(maintenanceOn, async () => {
    const answer = await ask('get', '/v1/maintenance', {});
    if (answer.ok && answer.data.windows.length > 0) await loadBanner();
    return answer;
  }, ['channels', 'alerts', 'session']);
}
