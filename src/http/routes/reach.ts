import { ApiError } from '../errors.ts';
import type { Routes } from '../request-state.ts';
import type { Service } from '../service.ts';

/** What an API key reaches beside events. */
export function reachRoutes({ authorize, throttle }: Service) {
  return {
    /** GET /v1/connection. Counted before the key is checked, so that guessing keys is limited, too. */
    async testConnection(context) {
      await throttle.connection.request(context);
      const { key, store } = await authorize(context, ['events:write']);
      const connection = await store.describeConnection({ keyId: key.id });
      if (connection === null) throw new ApiError('unauthenticated'); // deleted meanwhile
      return { status: 200, body: connection };
    },
  } satisfies Routes;
}
