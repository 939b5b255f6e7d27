import { eventFilterReader } from '../../event-filter.ts';
import { takeEvent } from '../../event-posting.ts';
import { showLimit } from '../../limits/throttles.ts';
import { queryReader } from '../../query.ts';
import type { Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { unwrap } from '../../unwrap.ts';

export function managedEventRoutes({ acceptance, manage, positions, clock }: Service) {
  const readFilter = eventFilterReader('listWorkspaceEvents', clock);
  const readPage = queryReader('showWorkspaceEvent');
  return {
    async listWorkspaceEvents(context) {
      const { store, workspace } = await manage(context);
      const page = await store.listEvents({ ...readFilter(context), workspace });
      return { status: 200, body: unwrap(page, 'channel_not_found') };
    },

    async showWorkspaceEvent(context) {
      const { store, workspace } = await manage(context);
      const { public_id: publicId } = context.params;
      const { after: sealed, ...asked } = readPage(context);
      const list = `deliveries of ${publicId}`;
      const place = sealed === undefined ? {} : { after: await positions.open(list, sealed, 'after') };
      const shown = await store.showEvent({ publicId, workspace, ...asked, ...place });
      const { next, ...page } = unwrap(shown, 'event_not_found');
      return { status: 200, body: { ...page, next: next === null ? null : await positions.seal(list, next) } };
    },

    /** This decides and does a part; the housekeeping does what is left. */
    async resendEvent(context) {
      const { store, workspace } = await manage(context);
      const begun = await store.resendEvent({ publicId: context.params.public_id, workspace });
      const { resent, done, links } = unwrap(begun, 'event_not_found');
      return { status: 200, body: { resent, done, links } };
    },

    /**
     * POST /v1/workspaces/{workspace}/events. The links of a repeated request are not compared: there is no API key to
     * make their mark with.
     */
    async sendEvent(context) {
      const { store, workspaceId } = await manage(context, 'active');
      const poster = { store, workspaceId, boundKeyId: null, postedBy: null, markOf: () => null };
      return takeEvent(acceptance, context, { ...poster, showLimit: (limit) => showLimit(context, limit) });
    },
  } satisfies Routes;
}
