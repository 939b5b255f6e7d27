import { takeEvent } from '../../event-posting.ts';
import { showLimit } from '../../limits/throttles.ts';
import type { Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';

export function managedEventRoutes({ acceptance, manage }: Service) {
  return {
    /** Answers POST /v1/workspaces/{workspace}/events. Links of replays are not compared: the mark needs an API key. */
    async sendEvent(context) {
      const { store, workspaceId } = await manage(context, 'active');
      const poster = { store, workspaceId, boundKeyId: null, postedBy: null, defaults: null, markOf: () => null };
      return takeEvent(acceptance, context, { ...poster, showLimit: (limit) => showLimit(context, limit) });
    },
  } satisfies Routes;
}
