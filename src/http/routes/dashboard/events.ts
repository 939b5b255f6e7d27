import type { DeliveryState } from '../../../push.ts';
import { eventFilterReader } from '../../event-filter.ts';
import { EventPosting } from '../../event-posting.ts';
import { showLimit } from '../../limits/throttles.ts';
import { PAGE, queryReader } from '../../query.ts';
import type { Handler, Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { unwrap } from '../../unwrap.ts';

interface TimelineQuery {
  readonly state?: DeliveryState;
  readonly after?: string;
  readonly limit?: number;
}

export function managedEventRoutes(service: Service) {
  return {
    listWorkspaceEvents: getEvents(service),
    showWorkspaceEvent: getEvent(service),
    resendEvent: resendEvent(service),
    sendEvent: postEvent(service),
  } satisfies Routes;
}

/** GET /v1/workspaces/{workspace}/events */
function getEvents({ manage, clock }: Service): Handler {
  const read = eventFilterReader('listWorkspaceEvents', clock);
  return async (context) => {
    const { store, workspace } = await manage(context);
    const page = await store.listEvents({ ...read(context), workspace });
    return { status: 200, body: unwrap(page, 'channel_not_found') };
  };
}

/** GET /v1/workspaces/{workspace}/events/{public_id} */
function getEvent({ manage }: Service): Handler {
  const read = queryReader<TimelineQuery>('showWorkspaceEvent');
  return async (context) => {
    const { store, workspace } = await manage(context);
    const shown = await store.showEvent({
      publicId: context.params.public_id,
      workspace,
      limit: PAGE,
      ...read(context),
    });
    return { status: 200, body: unwrap(shown, 'event_not_found') };
  };
}

/**
 * POST /v1/workspaces/{workspace}/events/{public_id}/resend. This decides and does a part; the housekeeping does what is
 * left.
 */
function resendEvent({ manage }: Service): Handler {
  return async (context) => {
    const { store, workspace } = await manage(context);
    const begun = await store.resendEvent({ publicId: context.params.public_id, workspace });
    const { resent, done, links } = unwrap(begun, 'event_not_found');
    return { status: 200, body: { resent, done, links } };
  };
}

/**
 * POST /v1/workspaces/{workspace}/events. The links of a repeated request are not compared: there is no API key to make
 * their mark with.
 */
function postEvent(service: Service): Handler {
  const posting = new EventPosting(service);
  return async (context) => {
    const { store, workspaceId } = await service.manage(context, 'active');
    const poster = { store, workspaceId, boundKeyId: null, markOf: () => null };
    return posting.post(context, { ...poster, showLimit: (limit) => showLimit(context, limit) });
  };
}
