import type { Schema } from './client.ts';

/** An event for its reader. */
export type Event = Schema<'EventText'>;
/** A listed event, read or not. */
export type InboxEvent = Schema<'InboxEvent'>;
/** A session's page; API keys get other entries at this address, and nothing unread. */
export type Inbox = Omit<Required<Schema<'PageOfEvents'>>, 'events' | 'up_to'> & { readonly events: InboxEvent[] };

export interface WholeEvent {
  readonly event: Event;
  readonly alert: Schema<'Alert'> | null;
  readonly on_call: Schema<'EventOnCall'> | null;
  /** The people whom the alert reached, and when last. */
  readonly notified: readonly { readonly id: string; readonly name: string; readonly at: string }[];
  /** The reader's devices with its push; absent in events kept by an earlier version. */
  readonly own_devices?: readonly Schema<'OwnDelivery'>[];
}
