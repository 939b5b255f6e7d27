/**
 * Resolves at Ctrl-C or SIGTERM. A second signal ends the process at once. The listener is removed only after all
 * others got the signal. If Ink's exit hook is the last listener, it sends the signal again and kills the process.
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
