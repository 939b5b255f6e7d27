import { ApiError } from '../errors.ts';
import type { Handler } from '../request-state.ts';
import type { Service } from '../service.ts';

/** GET /v1/connection. Counted before the key is checked, so that guessing keys is limited, too. */
export function getConnection({ authorize, throttle }: Service): Handler {
  return async (context) => {
    throttle.connection(context);
    const { key, store } = await authorize(context, 'events:write');
    const connection = await store.describeConnection({ keyId: key.id });
    if (connection === null) throw new ApiError('unauthenticated'); // deleted meanwhile
    return { status: 200, body: connection };
  };
}
