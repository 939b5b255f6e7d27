import type { Push } from '../../sandbox/journal.ts';
import { ROUTE_NAMES } from '../../sandbox/names.ts';
import { show } from './table.ts';

export function describePush(push: Push): string {
  const route = ROUTE_NAMES[push.endpoint];
  if (push.isSealed) return `${route} took a push that only the browser can read`;
  const { eventId, title, body } = readPush(push);
  const text = body === title || body === '' ? title : `${title}: ${body}`;
  return `${route} took ${eventId} for ${nameOf(push.token)}…  ${text}`;
}

/** Returns the part of a token, or of a browser's endpoint, that identifies it. */
function nameOf(token: string): string {
  return token.startsWith('https:') ? token.slice(-12) : token.slice(0, 12);
}

interface PushText {
  readonly eventId: string;
  readonly title: string;
  readonly body: string;
}

/** Reads event and words in the provider's places. */
export function readPush({ payload }: Push): PushText {
  const { aps, data, notification, event_id } = payload as Payload;
  const alert = aps?.alert ?? notification ?? data;
  return {
    eventId: show(event_id ?? data?.event_id ?? notification?.data?.event_id ?? null),
    title: show(alert?.title ?? null),
    body: show(alert?.body ?? null),
  };
}

interface Payload {
  readonly event_id?: string;
  readonly aps?: { readonly alert?: Alert };
  readonly notification?: Alert & { readonly data?: { readonly event_id?: string } };
  readonly data?: Alert & { readonly event_id?: string };
}
interface Alert {
  readonly title?: string;
  readonly body?: string;
}
