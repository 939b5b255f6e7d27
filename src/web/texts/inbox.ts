import type { Schema } from '../api/client.ts';
import { plural, whole } from '../format/numbers.ts';

export const inbox = {
  title: 'Inbox',
  readAll: 'Mark all as read',
  filter: 'Filter',
  earlier: 'Show earlier events',
  searchedTo: (time: string) => `Searched back to ${time}.`,
  repeats: (count: number) => `${whole(count)} times, show each`,
  end: 'No earlier events.',
  ends: { resolved: 'resolved', expired: 'expired', over: 'over' },
  loading: 'Loading events',
} as const;

export const inboxFilters = {
  label: 'Filter the inbox',
  search: 'Search titles and texts',
  workspace: 'Workspace',
  allWorkspaces: 'All workspaces',
  channel: 'Channel',
  allChannels: 'All channels',
  level: 'Level',
  allLevels: 'All levels',
  withUnread: (channel: string, count: string) => `${channel} (${count} unread)`,
  unread: 'Read or unread',
  readToo: 'Read and unread',
  unreadOnly: 'Unread only',
} as const;

export const noEvents = {
  title: 'No events yet',
  subscribe: 'If one of your devices is subscribed to a channel, the events of that channel appear here.',
  toDevices: 'Choose what to get, and where',
  send: 'Send the first one with an API key of your workspace:',
  toKeys: (workspace: string) => `Issue an API key of ${workspace}`,
  nonePass: 'Nothing found',
  showAll: 'Show all events',
} as const;

export const undoRead = {
  wereRead: (count: number) => `${whole(count)} ${plural(count, 'event was', 'events were')} marked as read.`,
  undo: 'Undo',
} as const;

/** Texts beside the inbox on wide screens. */
export const chosenEvent = {
  label: 'Chosen event',
  none: 'Choose an event to see it here.',
} as const;

export const event = {
  title: 'Event',
  missing: 'Event not found',
  missingText:
    'It may be too old to be kept, its channel may be deleted, or it was not meant for you. The newest events are in the inbox.',
  channel: 'Channel',
  workspace: 'Workspace',
  type: 'Type',
  happened: 'Happened',
  received: 'Received',
  replaces: 'Collapse key',
  timeline: 'Deliveries',
  id: 'ID',
  quiet: 'Quiet',
  openLink: (host: string) => `Open ${host}`,
  openImage: (host: string) => `Show the image from ${host}`,
  markUnread: 'Mark as unread',
} as const;

export const eventHead = {
  noText: 'This event has no text.',
  happened: 'Happened',
  received: 'received',
} as const;

export const reasons: Readonly<Record<Schema<'Quiet'>['reason'], string>> = {
  notice: 'says how an alert ended or who has it',
  acknowledged: 'the alert was acknowledged',
  maintenance: 'maintenance',
  ring_after: 'the alert had not rung yet',
  quiet_hours: 'quiet hours',
  storm: 'the channel had rung as often as it may',
  not_on_call: 'someone else is on call',
};

export const quiet = {
  until: (reason: string, time: string) => `${reason} until ${time}`,
  by: (reason: string, name: string) => `${reason}, by ${name}`,
  onCall: 'On call',
  isOnCall: (name: string) => `${name} is on call`,
  isUnreachable: (name: string) => `${name} is on call and could not be reached, so it rang for everyone`,
} as const;

export const outcomes = {
  pending: 'waiting',
  accepted: 'accepted',
  failed: 'failed',
  unregistered: 'unregistered',
  expired: 'expired',
  withdrawn: 'withdrawn',
  deferred: 'put off',
} as const;

export const noDevice = 'to no device';

export const reported = {
  shown: (count: number) => `${whole(count)} shown`,
  opened: (count: number) => `${whole(count)} opened`,
  wasShown: 'shown',
  wasOpened: 'opened',
} as const;

export const platforms: Readonly<Record<string, string>> = { ios: 'iOS', android: 'Android', web: 'Browser' };

/** Words about maintenance that is on. */
export const maintenanceOn = {
  ofChannel: (channel: string, until: string) => `${channel}: maintenance until ${until}`,
  left: (time: string) => `${time} left`,
  onlyFor: (key: string) => `only ${key}`,
} as const;
