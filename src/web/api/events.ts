import { keepEvent, keepInbox, keptEvent, keptInbox, orKept } from '../kept-events.ts';
import { ask } from './ask.ts';
import type { Input } from './client.ts';
import type { Event, Inbox, InboxEvent, WholeEvent } from './event-types.ts';
import type { Answer } from './problem.ts';
import { learnUnread } from './unread.ts';

export type { Event, Inbox, InboxEvent };

/** The inbox's filters as in its address. The server validates them. */
export type InboxFilter = { readonly [Name in 'workspace' | 'channel' | 'level' | 'q' | 'unread']?: string };
type Query = NonNullable<Input<'get', '/v1/events'>['query']>;

/** Loads the newest matching events, or those before one, of subscribed channels. */
export async function loadInbox(
  filter: InboxFilter = {},
  page: { readonly before?: string; readonly limit?: number } = {},
): Promise<Answer<Inbox>> {
  const { unread, ...others } = filter;
  const query = { ...others, ...(unread === 'true' && { unread: true }), ...page } as Query;
  const answer = (await ask('get', '/v1/events', { query })) as Answer<Inbox>;
  const isWhole = Object.keys(filter).length + Object.keys(page).length === 0;
  if (answer.ok && isWhole) void keepInbox(answer.data, loadInbox).catch(() => undefined);
  const known = answer.ok || !isWhole ? answer : await orKept(answer, keptInbox);
  if (known.ok && filter.workspace === undefined) learnUnread(known.data.unread);
  return known;
}

export async function loadEvent(publicId: string): Promise<Answer<WholeEvent>> {
  const path = { public_id: publicId };
  const answer = (await ask('get', '/v1/events/{public_id}', { path })) as Answer<WholeEvent>;
  if (answer.ok) void keepEvent(answer.data).catch(() => undefined);
  return answer.ok ? answer : orKept(answer, () => keptEvent(publicId));
}

/** The API's limit of events per request. */
const AT_ONCE = 100;

/** Marks events as read on all the person's devices. Returns the last answer. */
export function markRead(publicIds: readonly string[]): Promise<Answer<unknown>> {
  return inParts(publicIds, (events) => ask('put', '/v1/inbox/read', { body: { events } }));
}

export function markUnread(publicIds: readonly string[]): Promise<Answer<unknown>> {
  return inParts(publicIds, (events) => ask('put', '/v1/inbox/unread', { body: { events } }));
}

/** Marks a workspace's matching events as read, up to this one. */
export function markAllRead(upTo: Event, { channel, level }: InboxFilter): Promise<Answer<unknown>> {
  const body = { workspace: upTo.workspace, up_to: upTo.public_id, channel, level };
  return ask('put', '/v1/inbox/read', { body: body as NonNullable<Input<'put', '/v1/inbox/read'>['body']> });
}

/** Makes requests in turn until one fails. */
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
