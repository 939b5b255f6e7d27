import type { Alert } from './alerts.ts';
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
export type InboxFilter = { readonly [Name in 'workspace' | 'channel' | 'level' | 'q' | 'unread']?: string };
type Query = NonNullable<Input<'get', '/v1/events'>['query']>;

/** The newest events that pass, or those before one, of all channels that one is subscribed to. */
export async function loadInbox(
  filter: InboxFilter = {},
  page: { readonly before?: string; readonly limit?: number } = {},
): Promise<Answer<Inbox>> {
  const { unread, ...others } = filter;
  const query = { ...others, ...(unread === 'true' && { unread: true }), ...page } as Query;
  const answer = await ask('get', '/v1/events', { query });
  if (!answer.ok) return answer;
  const inbox = answer.data as Inbox;
  if (filter.workspace === undefined) learnUnread(inbox.unread);
  return { ok: true, data: inbox };
}

/** An event, and the alert that it belongs to. */
export interface WholeEvent {
  readonly event: Event;
  readonly alert: Alert | null;
}

export async function loadEvent(publicId: string): Promise<Answer<WholeEvent>> {
  const answer = await ask('get', '/v1/events/{public_id}', { path: { public_id: publicId } });
  return answer.ok ? { ok: true, data: answer.data as WholeEvent } : answer;
}

/** So many one request takes. */
const AT_ONCE = 100;

/** These events alone, on all devices of this person. Answers what came of the last request. */
export function markRead(publicIds: readonly string[]): Promise<Answer<unknown>> {
  return inParts(publicIds, (events) => ask('put', '/v1/inbox/read', { body: { events } }));
}

export function markUnread(publicIds: readonly string[]): Promise<Answer<unknown>> {
  return inParts(publicIds, (events) => ask('put', '/v1/inbox/unread', { body: { events } }));
}

/** All of a workspace that pass, up to this event. */
export function markAllRead(upTo: Event, { channel, level }: InboxFilter): Promise<Answer<unknown>> {
  const body = {
    workspace: upTo.workspace,
    up_to: upTo.public_id,
    ...(channel && { channel }),
    ...(level && { level }),
  };
  return ask('put', '/v1/inbox/read', { body: body as NonNullable<Input<'put', '/v1/inbox/read'>['body']> });
}

/** Until one fails. */
async function inParts(
  publicIds: readonly string[],
  act: (ids: string[]) => Promise<Answer<unknown>>,
): Promise<Answer<unknown>> {
  let answer: Answer<unknown> = { ok: true, data: null };
  for (let from = 0; from < publicIds.length && answer.ok; from += AT_ONCE) {
    answer = await act(publicIds.slice(from, from + AT_ONCE));
  }
  return answer;
}
