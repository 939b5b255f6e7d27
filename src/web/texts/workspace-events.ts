import { listed } from '../format/list.ts';
import { plural, whole } from '../format/numbers.ts';

const pushes = (count: number) => `${whole(count)} ${plural(count, 'push', 'pushes')}`;

export const texts = {
  title: 'Events',
  send: 'Send an event',
  filters: 'Filter events',
  search: 'Search titles and texts',
  level: 'Level',
  anyLevel: 'All levels',
  channel: 'Channel',
  anyChannel: 'All channels',
  state: 'State',
  posted: 'Posted',
  scheduledOnly: { true: 'Scheduled' },
  test: 'test push',
  emptyTitle: 'No events',
  emptyText: 'Events of the channels of this workspace are listed here.',
  event: 'Event',
  toAll: 'All events',
  targeted: 'Devices',
  outcome: 'Outcome',
  happened: 'Happened',
  received: 'Received',
  type: 'Type',
  collapse: 'Collapse key',
  id: 'ID',
  quiet: 'Quiet',
  waits: (routes: string) => `Pushes are waiting on ${routes}.`,
  setAside: (route: string, reason: string) =>
    `An error in pushctl holds pushes of this event on ${route} until the next start: ${reason}.`,
  scheduled: (when: string) => `It will be sent on ${when}.`,
  restored: 'It was discarded when the server was restored from a backup.',
  cancelled: (when: string) => `It was cancelled on ${when}.`,
  resent: (pushes: string, when: string) => `${pushes} of its pushes were sent again on ${when}.`,
  timeline: 'Deliveries',
  noDevices: 'No device was subscribed when the event came in.',
  notTried: 'Not tried yet.',
  resend: 'Send again',
  resendTitle: (count: number) => `Send ${pushes(count)} again?`,
  resendText: (failed: number, expired: number) =>
    `${listed([...(failed > 0 ? [`${whole(failed)} failed`] : []), ...(expired > 0 ? [`${whole(expired)} expired`] : [])])} ${plural(expired > 0 ? expired : failed, 'push is', 'pushes are')} sent once more, to devices that are active and still subscribed.`,
  resendNot: (accepted: number) =>
    `${accepted === 0 ? '' : `${pushes(accepted)} ${plural(accepted, 'was accepted already and is', 'were accepted already and are')} not sent again. `}Nothing is counted against the allowance.`,
  resendLinks: 'Links and data are not stored, so most pushes that are sent again have none.',
  wasResent: (count: number) =>
    count === 0 ? 'No device is left to send it to.' : `${pushes(count)} ${plural(count, 'is', 'are')} queued again.`,
  cancel: 'Cancel sending',
  cancelTitle: (count: number) => `Cancel ${pushes(count)}?`,
  cancelText: (accepted: number) =>
    `Unsent pushes will not be sent. ${accepted === 0 ? 'No push was accepted so far.' : `${pushes(accepted)} ${plural(accepted, 'was', 'were')} accepted already and cannot be recalled.`}`,
  cancelScheduledTitle: 'Cancel this event?',
  cancelScheduledText: 'It will not be sent. It stays in the list as cancelled.',
  wasCancelled: 'The event is cancelled. Unsent pushes will not be sent.',
  deviceGone: 'A device that was removed',
  deviceOfNoMember: 'A device of a former member',
  keptFor: (seconds: number) => `kept for ${whole(seconds)} s only`,
  noDeliveries: 'Details are no longer kept.',
} as const;
