/** Texts of the page itself, shown before any script runs. The build puts them there. */
export const texts = {
  noScript: "pushctl's app needs JavaScript. Events can also be read with the command line: pushctl event list.",
} as const;
