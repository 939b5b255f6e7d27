/** npm repeats the terminal's Ctrl-C; signals this close are the same. */
const SAME_SIGNAL_MS = 500;

/**
 * Resolves at Ctrl-C or SIGTERM; another signal ends the process. The listener remains until all others ran: Ink's exit
 * hook, as the last one, would repeat the signal and kill the process.
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
