import { ask } from './ask.ts';
import type { Schema } from './client.ts';
import { kept, useKept } from './use-load.ts';

/** Current maintenance windows of all workspaces; null: unknown yet. */
export const maintenanceOn = kept<Schema<'MaintenanceList'>>();

/** Keeps `maintenanceOn` current. */
export function useMaintenanceOn(): void {
  useKept(maintenanceOn, () => ask('get', '/v1/maintenance', {}), ['channels', 'alerts', 'session']);
}
