/** Texts beside the inbox on wide screens. */
export const texts = {
  label: 'Chosen event',
  none: 'Choose an event to see it here.',
} as const;
