import { baseUrlOf } from '../../config/config.ts';
import { pingUrl } from '../../contract/heartbeats.ts';
import { type Heartbeat, isRefusal } from '../../store/calls.ts';
import { reachOf } from '../auth/api-key.ts';
import { bodyReader } from '../body/body-fields.ts';
import { ApiError } from '../errors.ts';
import { counted } from '../limits/throttles.ts';
import type { Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

export function reachRoutes({ authorize, config, throttle }: Service) {
  const readDefinition = bodyReader('putHeartbeat');
  return {
    /** Answers PUT /v1/heartbeats/{heartbeat}. Keys without reading rights get back their input and the address. */
    async putHeartbeat(context) {
      const { key, store } = await authorize(context, ['heartbeats:write']);
      const request = throttle.burst(context, key);
      return counted(request, async () => {
        const definition = await readDefinition(context);
        const put = await store.putHeartbeat({ ...definition, ...reachOf(key), slug: context.params.heartbeat });
        if (isRefusal(put) && put.unknown?.of === 'channel') throw new ApiError('channel_not_found');
        const { heartbeat, done } = unwrap(put, 'heartbeat_not_found');
        await request.end();
        const { uuid, ...state } = heartbeat;
        const ping_url = pingUrl(baseUrlOf(config), uuid);
        const shown = key.scopes.includes('events:read') ? state : definitionOf(state);
        return { status: done === 'added' ? 201 : 200, body: { heartbeat: { ...shown, ping_url } } };
      });
    },

    /** Answers GET /v1/connection. Counts before checking the key, against guesses. */
    async testConnection(context) {
      await throttle.connection.request(context);
      const { key, store } = await authorize(context, ['events:write']);
      const connection = await store.describeConnection({ keyId: key.id });
      if (connection === null) throw new ApiError('unauthenticated'); // deleted meanwhile
      return { status: 200, body: connection };
    },
  } satisfies Routes;
}

function definitionOf({
  slug,
  name,
  channel,
  channel_name,
  every,
  cron,
  timezone,
  grace,
  failures,
}: Omit<Heartbeat, 'uuid'>) {
  return { slug, name, channel, channel_name, every, cron, timezone, grace, failures };
}
