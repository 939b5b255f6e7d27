import { whole } from '../format/numbers.ts';

export const texts = {
  open: 'Reminders',
  openNamed: (channel: string) => `Reminders of ${channel}`,
  title: (channel: string) => `Reminders of ${channel}`,
  about:
    'With reminders, each urgent event opens an alert, unless its level is success. The devices of the channel are reminded until someone acknowledges the alert.',
  repeat: 'Remind every',
  until: 'For at most',
  untilHint: 'No more than 50 reminders.',
  escalate: 'Then also alert',
  noOther: 'No other channel',
  after: 'After',
  ringAfter: 'First ring',
  ringAfterHint: 'Until then an alert is shown without a sound. If it ends, nobody hears it.',
  atOnce: 'at once',
  ringsAfter: (time: string) => `It rings first after ${time}.`,
  rings: 'Rings at most',
  ringsHint: 'Empty: without limit. Further pushes are shown without a sound.',
  per: 'Within',
  ringsFact: 'Rings',
  atMost: (times: number, span: string) => `At most ${times === 1 ? 'once' : `${whole(times)} times`} in ${span}.`,
  save: 'Save',
  switchOff: 'Turn off reminders',
  switchOffHint: 'This resolves the open alerts of the channel.',
  fact: 'Reminders',
  none: 'none',
  reminds: (apart: string, longest: string) =>
    `Every ${apart} until someone acknowledges the alert, for at most ${longest}.`,
  escalates: (after: string, channel: string) => `After ${after}, ${channel} is alerted as well.`,
  wereSet: (channel: string) => `${channel} sends reminders now.`,
  wereEnded: (channel: string) => `${channel} sends no reminders.`,
} as const;
