import { INSIST_DEFAULTS } from '../../../contract/insist.ts';
import { quietProblems } from '../../../contract/quiet-hours.ts';
import { bodyReader } from '../../body/body-fields.ts';
import type { Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { unwrap } from '../../unwrap.ts';

export function channelRoutes({ manage }: Service) {
  const readChange = bodyReader('updateChannel', ({ quiet }) => (quiet ? quietProblems(quiet) : []));
  return {
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
  } satisfies Routes;
}
