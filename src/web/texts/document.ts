/** Texts of the page itself, shown before any script runs. The build puts them there. */
export const texts = {
  noScript: "pushctl's app needs JavaScript. You can also read events on the command line: pushctl event list.",
} as const;
