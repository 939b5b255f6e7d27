import type { Logger } from 'pino';
import type { ServiceManager } from './systemd.ts';

export interface WatchdogOptions {
  readonly manager: Pick<ServiceManager, 'alive' | 'watchdogMs'>;
  /** Returns whether every watched part just answered, at the parts' pace. */
  readonly isAlive: () => Promise<boolean>;
  readonly log: Logger;
}

/**
 * Notifies the service manager at half of its limit, if the server is alive. A blocked main loop or silent part stops
 * this, and the manager restarts the process. Returns a function that ends it.
 */
export function feedWatchdog({ manager, isAlive, log }: WatchdogOptions): () => void {
  if (manager.watchdogMs === null) return () => {};
  const everyMs = manager.watchdogMs / 2;
  let isAsking = false;
  let isOver = false;
  const look = async (): Promise<void> => {
    if (isAsking) return log.error('a part of the server does not answer, so the server stops notifying the watchdog');
    isAsking = true;
    const alive = await isAlive();
    isAsking = false;
    if (isOver) return;
    if (alive) await manager.alive();
    else log.error('a part of the server has ended, so the server stops notifying the watchdog');
  };
  const timer = setInterval(() => void look(), everyMs);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}
