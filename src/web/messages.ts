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

/** The links of an event, stored as JSON. */
export interface KeptLinks {
  readonly url?: string;
  readonly image?: string;
}

/** Returns the key of an event's links in that cache. */
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

/** The key of the workspaces in that cache: names by slugs, as JSON. */
export const WORKSPACE_NAMES = '/workspace-names';

/** The cache of acknowledgements that the worker could not send; pages repeat them. */
export const KEPT_TAPS = 'taps';

/** A notification tap, as JSON. `all`: about several alerts. */
export interface KeptTap {
  readonly all: boolean;
  readonly atMs: number;
}

/** Returns the key of an alert's tap in that cache. */
export function tapKey(alert: string): string {
  return `/taps/${alert}`;
}

/** The cache of reports that the worker could not send. */
export const KEPT_RECEIPTS = 'receipts';

/** Returns the key of a report in that cache. */
export function receiptKey(event: string, isOpened: boolean): string {
  return `/receipts/${event}/${isOpened ? 'opened' : 'shown'}`;
}

/** An empty cache while nobody is signed in: the device still receives pushes, but keeps nothing. */
export const SIGNED_OUT = 'signed-out';

/** The cache that tells the worker its device. Outlives sessions. */
export const THIS_DEVICE = 'this-device';

/** The key of the device in that cache, as JSON. */
export const DEVICE_KEY = '/this-device';

export interface KnownDevice {
  readonly id: string;
  /** The server's key with which a browser subscribes: base64url. */
  readonly key: string;
  /** The endpoint that the server knows. */
  readonly endpoint: string;
  /** The device token for reports of shown pushes; null: unknown. */
  readonly token: string | null;
}

/** The cache in which the pages keep a person's choices for the worker. */
export const CHOICES = 'choices';

/** Exists if notification taps open the event's page even if it has a link. */
export const OPEN_HERE = '/choices/open-here';
