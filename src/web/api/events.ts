import { ask } from './ask.ts';
import type { Input } from './client.ts';
import { connection } from './connection.ts';
import type { Event, Inbox, InboxEvent, WholeEvent } from './event-types.ts';
import type { Answer } from './problem.ts';
import { learnUnread } from './unread.ts';

export type { Event, Inbox, InboxEvent, WholeEvent };

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
  const answer = (await ask('get', '/v1/events', { query })) as Answer<Inbox>;
  const isWhole = Object.keys(filter).length + Object.keys(page).length === 0;
  if (answer.ok && isWhole) keep((kept) => kept.keepInbox(answer.data, loadInbox));
  const known = isWhole ? await orKept(answer, (kept) => kept.keptInbox()) : answer;
  if (known.ok && filter.workspace === undefined) learnUnread(known.data.unread);
  return known;
}

export async function loadEvent(publicId: string): Promise<Answer<WholeEvent>> {
  const path = { public_id: publicId };
  const answer = (await ask('get', '/v1/events/{public_id}', { path })) as Answer<WholeEvent>;
  if (answer.ok) keep((kept) => kept.keepEvent(answer.data));
  return orKept(answer, (kept) => kept.keptEvent(publicId));
}

type KeptEvents = typeof import('../kept-events.ts');

/** For a start without a network. A browser that keeps nothing, as where the address is not encrypted, goes without. */
function keep(act: (kept: KeptEvents) => Promise<void>): void {
  void import('../kept-events.ts').then(act).catch(() => undefined);
}

/** What was kept, where the server cannot be reached. */
async function orKept<T>(
  answer: Answer<T>,
  find: (kept: KeptEvents) => Promise<{ readonly data: T; readonly atMs: number } | null>,
): Promise<Answer<T>> {
  if (answer.ok || (answer.problem.kind !== 'offline' && answer.problem.kind !== 'away')) return answer;
  const kept = await import('../kept-events.ts').then(find).catch(() => null);
  if (kept === null) return answer;
  connection.showsKept(kept.atMs);
  return { ok: true, data: kept.data };
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
