import type { Schema } from './client.ts';

/** An event as its reader sees it. */
export type Event = Schema<'EventText'>;
/** An event in a list, which says whether it was read. */
export type InboxEvent = Schema<'InboxEvent'>;
/** A session's page; API keys get other entries at this address, and nothing unread. */
export type Inbox = Omit<Required<Schema<'PageOfEvents'>>, 'events' | 'up_to'> & { readonly events: InboxEvent[] };

/** An event, and the alert that it belongs to. */
export interface WholeEvent {
  readonly event: Event;
  readonly alert: Schema<'Alert'> | null;
  /** The people whom the alert has reached, and when last. */
  readonly notified: readonly { readonly id: string; readonly name: string; readonly at: string }[];
}
