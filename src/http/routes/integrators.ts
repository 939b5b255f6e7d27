import { baseUrlOf } from '../../config/config.ts';
import { pingUrl } from '../../contract/heartbeats.ts';
import type { Scope } from '../../push.ts';
import {
  type ActingStore,
  type Alert,
  type AlertAsker,
  type Heartbeat,
  isRefusal,
  type Refusal,
} from '../../store/calls.ts';
import { byToken, reachOf } from '../auth/api-key.ts';
import { bodyReader } from '../body/body-fields.ts';
import { ApiError, unwrap } from '../errors.ts';
import { counted } from '../limits/throttles.ts';
import type { Context, Handler, ResponseTo, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';

type Named = AlertAsker & { readonly publicId: string };
type Changed = ResponseTo<'acknowledgeAlert' | 'resolveAlert' | 'reopenAlert'>;
type Change = (store: ActingStore, named: Named, context: Context) => Promise<{ readonly alert: Alert } | Refusal>;

export function alertRoutes({ authenticate, authorize, throttle }: Service) {
  const readTerms = bodyReader('acknowledgeAlert');
  const readExtent = bodyReader('reopenAlert');

  /** Counts as a person's change, or a request of a key with one scope. */
  function changing(scopes: readonly Scope[], change: Change): Handler<Changed> {
    const changed = async (store: ActingStore, asker: AlertAsker, context: Context) => {
      const done = await change(store, { ...asker, publicId: context.params.public_id }, context);
      return unwrap(done, 'event_not_found').alert;
    };
    return byToken({
      async session(context) {
        const { store, user } = await authenticate(context);
        return { status: 200, body: { alert: await changed(store, { userId: user.id }, context) } };
      },
      async key(context) {
        const { key, store } = await authorize(context, scopes);
        const request = throttle.burst(context, key);
        return counted(request, async () => {
          const alert = await changed(store, { reach: reachOf(key) }, context);
          await request.end();
          const { id, state } = alert;
          return { status: 200, body: { alert: key.scopes.includes('events:read') ? alert : { id, state } } };
        });
      },
    });
  }

  return {
    acknowledgeAlert: changing(['alerts:write'], async (store, named, context) => {
      const { for: forS, ...terms } = await readTerms(context);
      return store.acknowledgeAlert({ ...named, ...terms, ...(forS !== undefined && { forS }) });
    }),

    resolveAlert: changing(['alerts:write', 'events:write'], (store, named) => store.resolveAlert(named)),

    reopenAlert: changing(['alerts:write'], async (store, named, context) =>
      store.reopenAlert({ ...named, ...(await readExtent(context)) }),
    ),
  } satisfies Routes;
}

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
