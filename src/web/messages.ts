/** Messages of the worker to the pages, and the caches in which both keep things for each other. */

/** Tells a page to show this absolute address of ours: the user clicked a notification. */
export interface ForPage {
  readonly show: string;
}

export function isForPage(message: unknown): message is ForPage {
  return typeof message === 'object' && message !== null && 'show' in message && typeof message.show === 'string';
}

/** The cache in which the worker keeps the links of events for their pages. */
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

/** The cache of events for a start without a network. It is removed when the session ends. */
export const KEPT_EVENTS = 'events';

/**
 * The cache in which the pages keep the names of channels for the worker's notifications. It is removed when the
 * session ends.
 */
export const CHANNEL_NAMES = 'channel-names';

/** Returns the key of a workspace's channels in that cache: names by slugs, as JSON. */
export function namesKey(workspace: string): string {
  return `/channel-names/${workspace}`;
}

/** The key of the workspaces in that cache: names by slugs, as JSON. */
export const WORKSPACE_NAMES = '/workspace-names';

/** The cache in which the worker keeps acknowledgements that did not reach the server. The pages repeat them. */
export const KEPT_TAPS = 'taps';

/** The tap on an alert's notification, stored as JSON. `all`: the notification was about several alerts. */
export interface KeptTap {
  readonly all: boolean;
  readonly atMs: number;
}

/** Returns the key of an alert's tap in that cache. */
export function tapKey(alert: string): string {
  return `/taps/${alert}`;
}

/** The cache in which the worker keeps reports that did not reach the server. */
export const KEPT_RECEIPTS = 'receipts';

/** Returns the key of a report in that cache. */
export function receiptKey(event: string, isOpened: boolean): string {
  return `/receipts/${event}/${isOpened ? 'opened' : 'shown'}`;
}

/**
 * An empty cache that exists while no user is signed in: a device still receives pushes then, but nothing of them is
 * kept.
 */
export const SIGNED_OUT = 'signed-out';

/** The cache in which the pages tell the worker which device this browser is. It outlives sessions. */
export const THIS_DEVICE = 'this-device';

/** The key of the device in that cache, as JSON. */
export const DEVICE_KEY = '/this-device';

export interface KnownDevice {
  readonly id: string;
  /** The server's key with which a browser subscribes: base64url. */
  readonly key: string;
  /** The endpoint that the server knows. */
  readonly endpoint: string;
  /** The device token, by which this device reports what it has shown; null: none is known. */
  readonly token: string | null;
}

/** The cache in which the pages keep a person's choices for the worker. */
export const CHOICES = 'choices';

/** The key that exists if a tap on a notification opens the event's own page, even if the event has a link. */
export const OPEN_HERE = '/choices/open-here';
