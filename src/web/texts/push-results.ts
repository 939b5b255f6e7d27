import { PUSH_RESULTS } from '../../contract/push-results.ts';
import { listed } from '../format/list.ts';
import { whole } from '../format/numbers.ts';

export const results: Readonly<Record<keyof typeof PUSH_RESULTS, string>> = PUSH_RESULTS;

export const texts = {
  title: 'Why did somebody not get it?',
  member: 'Member',
  hint: 'Start to type a name or an email address.',
  show: 'Show',
  label: (who: string) => `Devices of ${who}`,
  until: (what: string, when: string) => `${what} until ${when}`,
  below: (what: string, level: string) => `${what} below ${level}`,
  noDevice: (who: string) => `${who} has no device, so no push reaches them.`,
  untried: 'Never sent',
  counts: (counts: readonly (readonly [devices: number, what: string])[]) =>
    listed(counts.map(([devices, what]) => `${whole(devices)} ${what}`)),
  recent: 'Latest events of their channels',
  noEvents: 'There are none. Their devices are subscribed to no channel with events.',
} as const;
