/** Resolves when the process is told to end: Ctrl-C, or SIGTERM. */
export function untilStopped(process: NodeJS.Process): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      process.off('SIGINT', stop).off('SIGTERM', stop);
      resolve();
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
  });
}
