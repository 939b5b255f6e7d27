import { ask } from './ask.ts';
import type { Input } from './client.ts';
import type { Event } from './event-types.ts';
import type { InboxFilter } from './events.ts';
import type { Answer } from './problem.ts';

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
