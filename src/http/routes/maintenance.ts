import { reachOf } from '../auth/api-key.ts';
import { bodyReader } from '../body/body-fields.ts';
import { counted } from '../limits/throttles.ts';
import type { Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

export function maintenanceRoutes({ authorize, throttle }: Service) {
  const readWindow = bodyReader('startMaintenance');
  return {
    /** POST /v1/maintenance */
    async startMaintenance(context) {
      const { key, store } = await authorize(context, ['alerts:write']);
      const request = throttle.burst(context, key);
      return counted(request, async () => {
        const started = await store.startMaintenance({ ...(await readWindow(context)), ...reachOf(key) });
        const maintenance = unwrap(started, 'channel_not_found');
        await request.end();
        return { status: 201, body: { maintenance } };
      });
    },

    /** DELETE /v1/maintenance/{maintenance} */
    async endOwnMaintenance(context) {
      const { key, store } = await authorize(context, ['alerts:write']);
      const request = throttle.burst(context, key);
      return counted(request, async () => {
        const ended = await store.endOwnMaintenance({ id: context.params.maintenance, ...reachOf(key) });
        unwrap(ended, 'maintenance_not_found');
        await request.end();
        return { status: 204 };
      });
    },
  } satisfies Routes;
}
