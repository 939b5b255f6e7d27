import { baseUrlOf } from '../../config/config.ts';
import { pingUrl } from '../../contract/heartbeats.ts';
import type { Heartbeat, HeartbeatChange, NewHeartbeat } from '../../store/calls.ts';
import { bodyReader } from '../body/body-fields.ts';
import { queryReader } from '../query.ts';
import type { Context, Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

export function heartbeatRoutes(service: Service) {
  return {
    listHeartbeats: getHeartbeats(service),
    createHeartbeat: postHeartbeat(service),
    showHeartbeat: getHeartbeat(service),
    updateHeartbeat: patchHeartbeat(service),
    deleteHeartbeat: deleteHeartbeat(service),
    pauseHeartbeat: postHandler(service, 'pauseHeartbeat'),
    resumeHeartbeat: postHandler(service, 'resumeHeartbeat'),
    listReachedHeartbeats: getReached(service),
  } satisfies Routes;
}

/** GET /v1/workspaces/{workspace}/heartbeats */
function getHeartbeats({ authenticate, config }: Service): Handler {
  const read = queryReader('listHeartbeats');
  return async (context) => {
    const { store, user } = await authenticate(context);
    read(context);
    const { workspace } = context.params;
    const found = unwrap(await store.listHeartbeats({ workspace, userId: user.id }), 'workspace_not_found');
    return { status: 200, body: { heartbeats: found.map((one) => addressed(one, config)), next: null } };
  };
}

/** POST /v1/workspaces/{workspace}/heartbeats */
function postHeartbeat({ manage, config }: Service): Handler {
  const read = bodyReader<Omit<NewHeartbeat, 'workspace'>>('heartbeat-request');
  return async (context) => {
    const { store, workspace } = await manage(context);
    const made = await store.createHeartbeat({ ...(await read(context)), workspace });
    return { status: 201, body: { heartbeat: addressed(unwrap(made, 'workspace_not_found'), config) } };
  };
}

/** GET /v1/workspaces/{workspace}/heartbeats/{heartbeat} */
function getHeartbeat({ authenticate, config }: Service): Handler {
  return async (context) => {
    const { store, user } = await authenticate(context);
    const shown = await store.showHeartbeat({ ...namedIn(context), userId: user.id });
    return { status: 200, body: { heartbeat: addressed(unwrap(shown, 'heartbeat_not_found'), config) } };
  };
}

/** PATCH /v1/workspaces/{workspace}/heartbeats/{heartbeat} */
function patchHeartbeat({ manage, config }: Service): Handler {
  const read = bodyReader<Omit<HeartbeatChange, 'workspace' | 'slug'>>('heartbeat-change');
  return async (context) => {
    const { store } = await manage(context);
    const changed = await store.updateHeartbeat({ ...(await read(context)), ...namedIn(context) });
    return { status: 200, body: { heartbeat: addressed(unwrap(changed, 'heartbeat_not_found'), config) } };
  };
}

/** DELETE /v1/workspaces/{workspace}/heartbeats/{heartbeat} */
function deleteHeartbeat({ manage }: Service): Handler {
  return async (context) => {
    const { store } = await manage(context);
    unwrap(await store.deleteHeartbeat(namedIn(context)), 'heartbeat_not_found');
    return { status: 204 };
  };
}

/** POST /v1/workspaces/{workspace}/heartbeats/{heartbeat}/pause, …/resume */
function postHandler({ manage, config }: Service, verb: 'pauseHeartbeat' | 'resumeHeartbeat'): Handler {
  return async (context) => {
    const { store } = await manage(context);
    const changed = await store[verb](namedIn(context));
    return { status: 200, body: { heartbeat: addressed(unwrap(changed, 'heartbeat_not_found'), config) } };
  };
}

/** GET /v1/heartbeats, with an API key, which may read and so gets no address that can be written to. */
function getReached({ authorize, throttle }: Service): Handler {
  const read = queryReader('listReachedHeartbeats', 'key');
  return async (context) => {
    const { key, store } = await authorize(context, 'events:read');
    throttle.reads(context, key);
    read(context);
    const { workspaceId, boundKeyId } = key;
    const found = await store.listReachedHeartbeats({ workspaceId, boundKeyId });
    return { status: 200, body: { heartbeats: found.map(({ uuid: _, ...one }) => one), next: null } };
  };
}

function namedIn({ params }: Context): { readonly workspace: string; readonly slug: string } {
  return { workspace: params.workspace, slug: params.heartbeat };
}

function addressed({ uuid, ...heartbeat }: Heartbeat, config: Service['config']): object {
  return { ...heartbeat, ping_url: pingUrl(baseUrlOf(config), uuid) };
}
