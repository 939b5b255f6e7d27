import { ask } from '../api/ask.ts';
import type { Schema } from '../api/client.ts';
import { kept, useKept } from '../api/use-load.ts';
import { nowMs } from '../clock.ts';
import { timeLeft } from '../format/durations.ts';
import { msOf, times } from '../format/time.ts';
import { useShared } from '../shared.ts';
import { maintenanceOn as texts } from '../texts/inbox.ts';

export function MaintenanceBanner({ windows }: { readonly windows: readonly Schema<'Maintenance'>[] }) {
  const now = useShared(nowMs);
  const on = windows.filter(({ until }) => msOf(until) > now);
  if (on.length === 0) return null;
  return (
    <div class="note">
      {on.map(({ id, channel_name: channel, until, only }) => (
        <p key={id}>
          {texts.ofChannel(channel, times.since(msOf(until), now))} ({texts.left(timeLeft(msOf(until) - now))}
          {only !== null && `, ${texts.onlyFor(only)}`})
        </p>
      ))}
    </div>
  );
}

/** Current maintenance windows of all workspaces; null: unknown yet. */
export const maintenanceOn = kept<Schema<'MaintenanceList'>>();

/** Keeps `maintenanceOn` current. */
export function useMaintenanceOn(): void {
  useKept(maintenanceOn, () => ask('get', '/v1/maintenance', {}), ['channels', 'alerts', 'session']);
}
