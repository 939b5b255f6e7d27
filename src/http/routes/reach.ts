import { ApiError } from '../errors.ts';
import { queryReader } from '../query.ts';
import type { Routes } from '../request-state.ts';
import type { Service } from '../service.ts';

/** What an API key reaches beside events. */
export function reachRoutes({ authorize, authorizeRead, throttle }: Service) {
  const checkChannelQuery = queryReader('listReachedChannels', 'key');
  const checkHeartbeatQuery = queryReader('listReachedHeartbeats', 'key');
  const checkUsageQuery = queryReader('getUsage', 'key');
  return {
    /** GET /v1/connection. Counted before the key is checked, so that guessing keys is limited, too. */
    async testConnection(context) {
      await throttle.connection.request(context);
      const { key, store } = await authorize(context, ['events:write']);
      const connection = await store.describeConnection({ keyId: key.id });
      if (connection === null) throw new ApiError('unauthenticated'); // deleted meanwhile
      return { status: 200, body: connection };
    },

    async listReachedChannels(context) {
      const { store, reach } = await authorizeRead(context);
      checkChannelQuery(context);
      return { status: 200, body: { channels: await store.listReachedChannels(reach), next: null } };
    },

    /** GET /v1/heartbeats. API keys get no addresses of pings. */
    async listReachedHeartbeats(context) {
      const { store, reach } = await authorizeRead(context);
      checkHeartbeatQuery(context);
      const found = await store.listReachedHeartbeats(reach);
      return { status: 200, body: { heartbeats: found.map(({ uuid: _, ...one }) => one), next: null } };
    },

    async getUsage(context) {
      const { store, reach } = await authorizeRead(context);
      checkUsageQuery(context);
      return { status: 200, body: await store.readUsage({ workspaceId: reach.workspaceId }) };
    },
  } satisfies Routes;
}
