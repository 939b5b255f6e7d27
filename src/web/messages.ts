/** Messages of the worker to pages, and the caches of both. */

/** Asks a page to show our absolute address, after a notification's click. */
export interface ForPage {
  readonly show: string;
}

export function isForPage(message: unknown): message is ForPage {
  return typeof message === 'object' && message !== null && 'show' in message && typeof message.show === 'string';
}

/** The cache of events' links, from worker to pages. */
export const KEPT_LINKS = 'links';

/** An event's links, as JSON. */
export interface KeptLinks {
  readonly url?: string;
  readonly image?: string;
}

export function linkKey(publicId: string): string {
  return `/links/${publicId}`;
}

/** The cache of events for an offline start. Removed with the session. */
export const KEPT_EVENTS = 'events';

/** The cache of channel names, from pages to the worker's notifications. Removed with the session. */
export const CHANNEL_NAMES = 'channel-names';

/** Returns the key of a workspace's channels there: names by slug, as JSON. */
export function namesKey(workspace: string): string {
  return `/channel-names/${workspace}`;
}

/** The workspaces' key there: names by slug, as JSON. */
export const WORKSPACE_NAMES = '/workspace-names';

/** The cache of acknowledgements that the worker could not send; pages repeat them. */
export const KEPT_TAPS = 'taps';

/** A notification tap, as JSON. `all`: about several alerts. */
export interface KeptTap {
  readonly all: boolean;
  readonly atMs: number;
}

export function tapKey(alert: string): string {
  return `/taps/${alert}`;
}

/** The cache of reports that the worker could not send. */
export const KEPT_RECEIPTS = 'receipts';

export function receiptKey(event: string, isOpened: boolean): string {
  return `/receipts/${event}/${isOpened ? 'opened' : 'shown'}`;
}

/** An empty cache while nobody is signed in: the device receives pushes, but keeps nothing. */
export const SIGNED_OUT = 'signed-out';

/** The cache that tells the worker its device. Outlives sessions. */
export const THIS_DEVICE = 'this-device';

/** The device's key there, as JSON. */
export const DEVICE_KEY = '/this-device';

export interface KnownDevice {
  readonly id: string;
  /** The server's key for subscriptions: base64url. */
  readonly key: string;
  /** The endpoint that the server knows. */
  readonly endpoint: string;
  /** The device token for reports of shown pushes; null: unknown. */
  readonly token: string | null;
}

/** The cache of a person's choices, from pages to the worker. */
export const CHOICES = 'choices';

/** The key that exists if a tap on a notification opens the event's own page, even if the event has a link. */
export const OPEN_HERE = '/choices/open-here';
