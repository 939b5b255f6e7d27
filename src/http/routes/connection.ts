import { ApiError } from '../errors.ts';
import type { Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';

export function connectionRoutes(service: Service) {
  return {
    testConnection: getConnection(service),
  } satisfies Routes;
}

/** GET /v1/connection. Counted before the key is checked, so that guessing keys is limited, too. */
function getConnection({ authorize, throttle }: Service): Handler {
  return async (context) => {
    await throttle.connection(context);
    const { key, store } = await authorize(context, 'events:write');
    const connection = await store.describeConnection({ keyId: key.id });
    if (connection === null) throw new ApiError('unauthenticated'); // deleted meanwhile
    return { status: 200, body: connection };
  };
}
