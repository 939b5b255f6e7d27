import type { ActingStore } from '../../store/acting.ts';
import type { Alert, AlertAsker, AlertFilter, Reach } from '../../store/calls.ts';
import { byToken } from '../auth/by-token.ts';
import { bodyReader } from '../body/body-fields.ts';
import { counted } from '../limits/throttles.ts';
import { PAGE, queryReader } from '../query.ts';
import type { Context, Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

type AlertsQuery = Partial<AlertFilter>;

export function alertRoutes(service: Service) {
  return {
    listAlerts: byToken({ session: getAlerts(service), key: getReachedAlerts(service) }),
    acknowledgeAlert: changing(service, acknowledging()),
    resolveAlert: changing(service, resolving),
  } satisfies Routes;
}

/** GET /v1/alerts, with a session token */
function getAlerts({ authenticate }: Service): Handler {
  const read = queryReader<AlertsQuery>('listAlerts');
  return async (context) => {
    const { store, user } = await authenticate(context);
    const page = await store.listAlerts({ userId: user.id, limit: PAGE, ...read(context) });
    return { status: 200, body: unwrap(page, 'workspace_not_found') };
  };
}

/** GET /v1/alerts, with an API key */
function getReachedAlerts({ authorize, throttle }: Service): Handler {
  const read = queryReader<AlertsQuery>('listAlerts', 'key');
  return async (context) => {
    const { key, store } = await authorize(context, 'events:read');
    throttle.reads(context, key);
    const page = await store.listAlerts({ reach: reachOf(key), limit: PAGE, ...read(context) });
    return { status: 200, body: unwrap(page, 'workspace_not_found') };
  };
}

type Change = (store: ActingStore, asker: AlertAsker, context: Context) => Promise<Alert>;

/** It counts as a change by the person, or as a request of the key. */
function changing({ authenticate, authorize, throttle }: Service, change: Change): Handler {
  return byToken({
    session: async (context) => {
      const { store, user } = await authenticate(context);
      return { status: 200, body: { alert: await change(store, { userId: user.id }, context) } };
    },
    key: async (context) => {
      const { key, store } = await authorize(context, 'events:write');
      return counted(throttle.burst(context, key), async () => ({
        status: 200,
        body: { alert: await change(store, { reach: reachOf(key) }, context) },
      }));
    },
  });
}

/** POST /v1/events/{public_id}/acknowledge */
function acknowledging(): Change {
  const read = bodyReader<{ readonly for?: number; readonly all?: boolean }>('acknowledgement', { isOptional: true });
  return async (store, asker, context) => {
    const { for: forS, all } = await read(context);
    const asked = { ...asker, publicId: context.params.public_id };
    const done = await store.acknowledgeAlert({
      ...asked,
      ...(forS !== undefined && { forS }),
      ...(all !== undefined && { all }),
    });
    return unwrap(done, 'event_not_found').alert;
  };
}

/** POST /v1/events/{public_id}/resolve */
const resolving: Change = async (store, asker, context) => {
  const done = await store.resolveAlert({ ...asker, publicId: context.params.public_id });
  return unwrap(done, 'event_not_found').alert;
};

function reachOf({ workspaceId, boundKeyId }: Reach): Reach {
  return { workspaceId, boundKeyId };
}
