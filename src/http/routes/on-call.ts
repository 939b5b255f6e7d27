import { queryReader } from '../query.ts';
import type { Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

export function onCallRoutes({ manage }: Service) {
  const readPreview = queryReader('deleteRota');
  return {
    /** DELETE /v1/workspaces/{workspace}/rotas/{rota} */
    async deleteRota(context) {
      const { store } = await manage(context);
      const { workspace, rota: slug } = context.params;
      const { preview = false } = readPreview(context);
      const answer = unwrap(await store.deleteRota({ workspace, slug, preview }), 'rota_not_found');
      return preview ? { status: 200, body: answer } : { status: 204 };
    },
  } satisfies Routes;
}
