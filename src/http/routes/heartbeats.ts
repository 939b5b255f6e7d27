import { baseUrlOf } from '../../config/config.ts';
import type { ApiSchema } from '../../contract/api-types.ts';
import { pingUrl } from '../../contract/heartbeats.ts';
import type { Heartbeat } from '../../store/calls.ts';
import { bodyReader } from '../body/body-fields.ts';
import { queryReader } from '../query.ts';
import type { Context, ResponseTo, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

export function heartbeatRoutes({ authenticate, config, manage }: Service) {
  const checkQuery = queryReader('listHeartbeats');
  const readNew = bodyReader('createHeartbeat');
  const readChange = bodyReader('updateHeartbeat');

  /** POST /v1/workspaces/{workspace}/heartbeats/{heartbeat}/pause, …/resume */
  async function changePause(
    context: Context,
    call: 'pauseHeartbeat' | 'resumeHeartbeat',
  ): Promise<ResponseTo<'pauseHeartbeat'>> {
    const { store } = await manage(context);
    const changed = await store[call](namedIn(context));
    return { status: 200, body: { heartbeat: addressed(unwrap(changed, 'heartbeat_not_found'), config) } };
  }

  return {
    async listHeartbeats(context) {
      const { store, user } = await authenticate(context);
      checkQuery(context);
      const { workspace } = context.params;
      const found = unwrap(await store.listHeartbeats({ workspace, userId: user.id }), 'workspace_not_found');
      return { status: 200, body: { heartbeats: found.map((one) => addressed(one, config)), next: null } };
    },

    async createHeartbeat(context) {
      const { store, workspace } = await manage(context);
      const made = await store.createHeartbeat({ ...(await readNew(context)), workspace });
      return { status: 201, body: { heartbeat: addressed(unwrap(made, 'workspace_not_found'), config) } };
    },

    async showHeartbeat(context) {
      const { store, user } = await authenticate(context);
      const shown = await store.showHeartbeat({ ...namedIn(context), userId: user.id });
      return { status: 200, body: { heartbeat: addressed(unwrap(shown, 'heartbeat_not_found'), config) } };
    },

    async updateHeartbeat(context) {
      const { store } = await manage(context);
      const changed = await store.updateHeartbeat({ ...(await readChange(context)), ...namedIn(context) });
      return { status: 200, body: { heartbeat: addressed(unwrap(changed, 'heartbeat_not_found'), config) } };
    },

    async deleteHeartbeat(context) {
      const { store } = await manage(context);
      unwrap(await store.deleteHeartbeat(namedIn(context)), 'heartbeat_not_found');
      return { status: 204 };
    },

    pauseHeartbeat: (context) => changePause(context, 'pauseHeartbeat'),
    resumeHeartbeat: (context) => changePause(context, 'resumeHeartbeat'),
  } satisfies Routes;
}

function namedIn({ params }: Context): { readonly workspace: string; readonly slug: string } {
  return { workspace: params.workspace, slug: params.heartbeat };
}

function addressed({ uuid, ...heartbeat }: Heartbeat, config: Service['config']): ApiSchema<'Heartbeat'> {
  return { ...heartbeat, ...(uuid !== null && { ping_url: pingUrl(baseUrlOf(config), uuid) }) };
}
