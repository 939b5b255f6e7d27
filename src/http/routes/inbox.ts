import { bodyReader } from '../body/body-fields.ts';
import { eventFilterReader } from '../event-filter.ts';
import type { Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

export function inboxRoutes(service: Service) {
  return {
    markInboxRead: putRead(service),
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

/** PUT /v1/inbox/read. It can write no more often than events arrive, so it does not count against other changes. */
function putRead({ authenticate }: Service): Handler {
  const read = bodyReader<{ readonly workspace: string; readonly upTo: string }>('inbox-read');
  return async (context) => {
    const { store, user } = await authenticate(context, 'uncounted');
    unwrap(await store.markInboxRead({ userId: user.id, ...(await read(context)) }), 'workspace_not_found');
    return { status: 204 };
  };
}
