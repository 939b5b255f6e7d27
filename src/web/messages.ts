/** What the worker says to the pages, and what they keep for each other. */

/** To a page: the user clicked a notification, show this address of ours, which is whole. */
export interface ForPage {
  readonly show: string;
}

export function isForPage(message: unknown): message is ForPage {
  return typeof message === 'object' && message !== null && 'show' in message && typeof message.show === 'string';
}

/** The cache in which the worker keeps links of events, for the pages of these. */
export const KEPT_LINKS = 'links';

/** As JSON, of an event. */
export interface KeptLinks {
  readonly url?: string;
  readonly image?: string;
}

/** The address under which the links of an event are kept there. */
export function linkKey(publicId: string): string {
  return `/links/${publicId}`;
}

/** The cache of events for a start without a network, until the session ends. */
export const KEPT_EVENTS = 'events';

/** The cache in which the pages leave what channels are called, for the worker's notifications; until the session ends. */
export const CHANNEL_NAMES = 'channel-names';

/** The address under which those of a workspace are there: names by slugs, as JSON. */
export function namesKey(workspace: string): string {
  return `/channel-names/${workspace}`;
}

/** The address there of what the workspaces are called: names by slugs, as JSON. */
export const WORKSPACE_NAMES = '/workspace-names';

/** The cache in which the worker keeps acknowledgements that the server did not take, for the pages to make them again. */
export const KEPT_TAPS = 'taps';

/** As JSON, of an alert. `all`: of a bundle. */
export interface KeptTap {
  readonly all: boolean;
  readonly atMs: number;
}

/** The address under which the tap on an alert's notification is kept there. */
export function tapKey(alert: string): string {
  return `/taps/${alert}`;
}

/** A cache that is empty, and there while no user is signed in: pushes still come to a device, but nothing of them is kept. */
export const SIGNED_OUT = 'signed-out';

/** The cache in which the pages leave, for the worker, as what device the server knows this browser. It outlives sessions. */
export const THIS_DEVICE = 'this-device';

/** The address under which the device is there, as JSON. */
export const DEVICE_KEY = '/this-device';

export interface KnownDevice {
  readonly id: string;
  /** The server's, with which a browser subscribes: base64url. */
  readonly key: string;
  /** The endpoint that the server has. */
  readonly endpoint: string;
}

/** The cache in which the pages leave what a person has chosen for the worker. */
export const CHOICES = 'choices';

/** There where a tap on a notification is to open the event's own page, whatever link it has. */
export const OPEN_HERE = '/choices/open-here';
