/** npm repeats the terminal's Ctrl-C; signals this close are one. */
const SAME_SIGNAL_MS = 500;

/**
 * Resolves at Ctrl-C or SIGTERM. A later, different signal ends the process at once. The listener stays until all
 * others got the signal: Ink's exit hook, as the last, would resend it and kill the process.
 */
export function untilStopped(process: Pick<NodeJS.Process, 'on' | 'off'>): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      setTimeout(() => process.off('SIGINT', stop).off('SIGTERM', stop), SAME_SIGNAL_MS).unref();
      resolve();
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
  });
}
