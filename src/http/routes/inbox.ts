import type { Level } from '../../push.ts';
import { bodyReader } from '../body/body-fields.ts';
import { eventFilterReader } from '../event-filter.ts';
import type { Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

export function inboxRoutes(service: Service) {
  return {
    markInboxRead: putRead(service),
    markInboxUnread: putUnread(service),
  } satisfies Routes;
}

/** GET /v1/events, with a session token */
export function getInbox({ authenticate, clock }: Service): Handler {
  const read = eventFilterReader('listEvents', clock);
  return async (context) => {
    const { store, user, memberships } = await authenticate(context);
    const [ofWorkspace] = memberships.map(({ slug }) => slug).sort();
    const turn = ofWorkspace === undefined ? {} : { ofWorkspace };
    const page = await store.listInbox({ userId: user.id, ...turn, ...read(context) });
    return { status: 200, body: unwrap(page, 'workspace_not_found') };
  };
}

/** GET /v1/events/{public_id}, with a session token: for a push that was tapped or fitted. */
export function getInboxEvent({ authenticate }: Service): Handler {
  return async (context) => {
    const { store, user } = await authenticate(context);
    const found = await store.readInboxEvent({ userId: user.id, publicId: context.params.public_id });
    return { status: 200, body: unwrap(found, 'event_not_found') };
  };
}

type ReadFields =
  | { readonly events: readonly string[] }
  | { readonly workspace: string; readonly upTo: string; readonly channel?: string; readonly level?: Level };

const TWO_WAYS = {
  field: 'events',
  message: 'The events field must not be there with up_to: name events, or the last of them.',
};

/**
 * PUT /v1/inbox/read. It can write no more often than events arrive or are marked as unread, so it does not count against
 * other changes.
 */
function putRead({ authenticate }: Service): Handler {
  const read = bodyReader<ReadFields>('inbox-read', {
    rules: (fields) => ('events' in fields && 'upTo' in fields ? [TWO_WAYS] : []),
  });
  return async (context) => {
    const { store, user } = await authenticate(context, 'uncounted');
    const fields = await read(context);
    if ('events' in fields) await store.markEventsRead({ userId: user.id, events: fields.events });
    else unwrap(await store.markInboxRead({ userId: user.id, ...fields }), 'workspace_not_found');
    return { status: 204 };
  };
}

/** PUT /v1/inbox/unread */
function putUnread({ authenticate }: Service): Handler {
  const read = bodyReader<{ readonly events: readonly string[] }>('inbox-unread');
  return async (context) => {
    const { store, user } = await authenticate(context);
    unwrap(await store.markEventsUnread({ userId: user.id, ...(await read(context)) }), 'conflict');
    return { status: 204 };
  };
}
