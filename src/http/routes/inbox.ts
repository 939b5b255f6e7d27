import { pageReader } from '../query.ts';
import type { Handler } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

/** GET /v1/events, with a session token */
export function getInbox({ authenticate }: Service): Handler {
  const read = pageReader('limit', 'before', 'workspace');
  return async (context) => {
    const { store, user } = await authenticate(context);
    const page = await store.listInbox({ userId: user.id, ...read(context) });
    return { status: 200, body: unwrap(page, 'workspace_not_found') };
  };
}

/** GET /v1/events/{public_id}, with a session token: for a push that was tapped or fitted. */
export function getInboxEvent({ authenticate }: Service): Handler {
  return async (context) => {
    const { store, user } = await authenticate(context);
    const event = await store.readInboxEvent({ userId: user.id, publicId: context.params.public_id });
    return { status: 200, body: { event: unwrap(event, 'event_not_found') } };
  };
}
