/** Texts for actions on alerts that can be undone within a minute. */
export const texts = {
  undo: 'Undo',
  taken: 'You have the alert.',
  takenAll: (channel: string) => `You have all open alerts of ${channel}.`,
  snoozed: 'The alert is snoozed.',
  resolved: 'The alert is resolved.',
} as const;
