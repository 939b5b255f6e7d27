import { ask } from './ask.ts';
import type { Input, Schema } from './client.ts';
import type { Answer } from './problem.ts';
import { learnUnread } from './unread.ts';

/** An event as its reader sees it. */
export type Event = Schema<'EventText'>;
/** In a list, which says whether it was read. */
export type InboxEvent = Schema<'InboxEvent'>;
/** The page that a session gets; the same address gives API keys another kind of entry, and nothing unread. */
export type Inbox = Omit<Required<Schema<'PageOfEvents'>>, 'events' | 'up_to'> & { readonly events: InboxEvent[] };

/** What passes, as the inbox's address has it; the server says what is wrong with it. */
export type InboxFilter = { readonly [Name in 'workspace' | 'channel' | 'level' | 'q']?: string };
type Query = NonNullable<Input<'get', '/v1/events'>['query']>;

/** The newest events that pass, or those before one, of all channels that one is subscribed to. */
export async function loadInbox(
  filter: InboxFilter = {},
  page: { readonly before?: string; readonly limit?: number } = {},
): Promise<Answer<Inbox>> {
  const answer = await ask('get', '/v1/events', { query: { ...filter, ...page } as Query });
  if (!answer.ok) return answer;
  const inbox = answer.data as Inbox;
  if (filter.workspace === undefined) learnUnread(inbox.unread);
  return { ok: true, data: inbox };
}

export async function loadEvent(publicId: string): Promise<Answer<Event>> {
  const answer = await ask('get', '/v1/events/{public_id}', { path: { public_id: publicId } });
  return answer.ok ? { ok: true, data: answer.data.event as Event } : answer;
}

/** This event and all before it in its workspace, on all devices of this person. */
export function markRead({ workspace, public_id }: Pick<Event, 'workspace' | 'public_id'>): Promise<Answer<unknown>> {
  return ask('put', '/v1/inbox/read', { body: { workspace, up_to: public_id } });
}
