export const texts = {
  open: 'Quiet hours',
  openNamed: (channel: string) => `Quiet hours of ${channel}`,
  title: (channel: string) => `Quiet hours of ${channel}`,
  about:
    'During quiet hours, standard events arrive without a sound. No event is held back. Urgent events and reminders still make a sound. To silence a channel on your own devices only, mute it there.',
  from: 'From',
  to: 'To',
  toHint:
    'If this is not later than the start, quiet hours end on the next day. The same time twice means the whole day.',
  days: 'Days on which quiet hours begin',
  timeZone: 'Time zone',
  save: 'Save',
  noDay: 'Choose at least one day.',
  switchOff: 'Turn off quiet hours',
  fact: 'Quiet hours',
  none: 'none',
  hours: (from: string, to: string) => `${from} to ${to}`,
  allDay: 'All day',
  everyDay: 'every day',
  wereSet: (channel: string) => `${channel} has quiet hours now.`,
  wereEnded: (channel: string) => `${channel} has no quiet hours.`,
} as const;
