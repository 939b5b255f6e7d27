export const texts = {
  notAllowed: 'The browser was not allowed to show notifications. Nothing has changed; ask again whenever you like.',
  noAnswer:
    "The browser's push service does not answer. Some browsers are built without one, and some networks shut it out: try again, or try another browser.",
  refused: (why: string) =>
    `The browser could not subscribe to pushes: ${why}. Private windows and some browsers do not allow it; try another.`,
} as const;
