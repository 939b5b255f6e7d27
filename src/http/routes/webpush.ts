import type { Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';

export function webPushRoutes(service: Service) {
  return { showWebPush: getWebPush(service) } satisfies Routes;
}

/** GET /v1/webpush */
function getWebPush({ authenticate, config }: Service): Handler {
  return async (context) => {
    const { store } = await authenticate(context);
    const { public_key } = await store.showWebPushKey({});
    return { status: 200, body: { public_key, contact_configured: config.webpush !== null } };
  };
}
