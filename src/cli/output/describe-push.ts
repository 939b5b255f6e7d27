import type { Push } from '../../sandbox/journal.ts';
import { ROUTE_NAMES } from '../../sandbox/names.ts';
import { show } from './table.ts';

/** What a person wants to see of a push that arrived at the sandbox, on one line. */
export function describePush(push: Push): string {
  const { eventId, title, body } = readPush(push);
  const text = body === title || body === '' ? title : `${title}: ${body}`;
  return `${ROUTE_NAMES[push.endpoint]} took ${eventId} for ${push.token.slice(0, 12)}…  ${text}`;
}

export interface PushText {
  readonly eventId: string;
  readonly title: string;
  readonly body: string;
}

/** The event and the words in a push, wherever its provider keeps them. */
export function readPush({ payload }: Push): PushText {
  const { aps, data, notification, event_id } = payload as Payload;
  const alert = aps?.alert ?? notification ?? data;
  return {
    eventId: show(event_id ?? data?.event_id ?? null),
    title: show(alert?.title ?? null),
    body: show(alert?.body ?? null),
  };
}

interface Payload {
  readonly event_id?: string;
  readonly aps?: { readonly alert?: Alert };
  readonly notification?: Alert;
  readonly data?: Alert & { readonly event_id?: string };
}
interface Alert {
  readonly title?: string;
  readonly body?: string;
}
