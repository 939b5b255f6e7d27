export const texts = {
  undo: 'Undo',
  taken: 'You acknowledged the alert.',
  takenAll: (channel: string) => `You acknowledged all open alerts of ${channel}.`,
  snoozed: 'The alert is snoozed.',
  resolved: 'The alert is resolved.',
} as const;
