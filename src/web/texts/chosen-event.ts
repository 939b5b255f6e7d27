/** Texts of the place beside the inbox on a wide screen. */
export const texts = {
  label: 'Chosen event',
  none: 'Choose an event to see it here.',
} as const;
