import { INSIST_DEFAULTS } from '../../../contract/insist.ts';
import { quietProblems } from '../../../contract/quiet-hours.ts';
import { bodyReader } from '../../body/body-fields.ts';
import type { Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { unwrap } from '../../unwrap.ts';

export function channelRoutes({ manage }: Service) {
  const readNew = bodyReader('createChannel');
  const readChange = bodyReader('updateChannel', ({ quiet }) => (quiet ? quietProblems(quiet) : []));
  return {
    async createChannel(context) {
      const { store, workspace } = await manage(context);
      const { slug, name = slug } = await readNew(context);
      const created = await store.createChannel({ workspace, slug, name });
      return { status: 201, body: { channel: unwrap(created, 'workspace_not_found') } };
    },

    async updateChannel(context) {
      const { store, workspace } = await manage(context);
      const { insist: asked, ...change } = await readChange(context);
      const insist = asked && { ...INSIST_DEFAULTS, ...asked };
      const slug = context.params.channel;
      const channel = await store.updateChannel({
        workspace,
        slug,
        ...change,
        ...(insist !== undefined && { insist }),
      });
      return { status: 200, body: { channel: unwrap(channel, 'channel_not_found') } };
    },

    async deleteChannel(context) {
      const { store, workspace } = await manage(context);
      unwrap(await store.deleteChannel({ workspace, slug: context.params.channel }), 'channel_not_found');
      return { status: 204 };
    },
  } satisfies Routes;
}
