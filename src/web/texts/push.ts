export const texts = {
  notAllowed: 'The browser may not show notifications yet. Nothing has changed; you can try again at any time.',
  noAnswer:
    "The browser's push service does not answer. Some browsers have none, and some networks block it. Try again, or use another browser.",
  refused: (why: string) =>
    `The browser could not subscribe to pushes: ${why}. Private windows and some browsers do not allow it; try another.`,
} as const;
