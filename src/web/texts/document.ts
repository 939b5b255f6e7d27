/** What the page itself says, before any script runs. The build puts it there. */
export const texts = {
  noScript: "pushctl's app needs JavaScript. Events can also be read with the command line: pushctl event list.",
} as const;
