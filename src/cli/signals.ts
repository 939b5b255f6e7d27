/**
 * Resolves when the process is asked to end: Ctrl-C, or SIGTERM. A second time ends it at once. Our listener leaves
 * only after all have heard of the signal: Ink's exit hook, where it is the last one left, sends the signal again and
 * kills the process.
 */
export function untilStopped(process: NodeJS.Process): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      setImmediate(() => process.off('SIGINT', stop).off('SIGTERM', stop));
      resolve();
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
  });
}
