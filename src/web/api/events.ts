import { ask } from './ask.ts';
import type { Schema } from './client.ts';
import type { Answer } from './problem.ts';

/** An event as its reader sees it. */
export type Event = Schema<'EventText'>;
/** In a list, which says whether it was read. */
export type InboxEvent = Schema<'InboxEvent'>;
export type Inbox = Schema<'Inbox'>;

/** The newest events, or those before one, of all channels that one is subscribed to. */
export async function loadInbox(before?: string): Promise<Answer<Inbox>> {
  const answer = await ask('get', '/v1/events', { query: before === undefined ? {} : { before } });
  // The same address answers API keys with their own list; a session gets this one.
  return answer.ok ? { ok: true, data: answer.data as Inbox } : answer;
}

export async function loadEvent(publicId: string): Promise<Answer<Event>> {
  const answer = await ask('get', '/v1/events/{public_id}', { path: { public_id: publicId } });
  return answer.ok ? { ok: true, data: answer.data.event as Event } : answer;
}
