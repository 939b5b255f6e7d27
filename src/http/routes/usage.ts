import { queryReader } from '../query.ts';
import type { Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';

export function usageRoutes(service: Service) {
  return {
    getUsage: getUsage(service),
  } satisfies Routes;
}

/** GET /v1/usage */
function getUsage({ authorize, throttle }: Service): Handler {
  const read = queryReader('getUsage', 'key');
  return async (context) => {
    const { key, store } = await authorize(context, 'events:read');
    throttle.reads(context, key);
    read(context);
    return { status: 200, body: await store.readUsage({ workspaceId: key.workspaceId }) };
  };
}
