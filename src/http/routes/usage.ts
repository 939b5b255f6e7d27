import type { Handler } from '../request-state.ts';
import type { Service } from '../service.ts';

/** GET /v1/usage */
export function getUsage({ authorize, throttle }: Service): Handler {
  return async (context) => {
    const { key, store } = await authorize(context, 'events:read');
    throttle.reads(context, key);
    return { status: 200, body: await store.readUsage({ workspaceId: key.workspaceId }) };
  };
}
