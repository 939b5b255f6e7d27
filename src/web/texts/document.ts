/** The page's texts before any script runs, inserted by the build. */
export const texts = {
  noScript: "pushctl's app needs JavaScript. You can also read events on the command line: pushctl event list.",
} as const;
