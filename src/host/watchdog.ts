import type { Logger } from 'pino';
import type { ServiceManager } from './systemd.ts';

export interface WatchdogOptions {
  readonly manager: Pick<ServiceManager, 'alive' | 'watchdogMs'>;
  /** Whether every part that must not stand still has just answered. May take as long as the parts do. */
  readonly isAlive: () => Promise<boolean>;
  readonly log: Logger;
}

/**
 * Notifies the service manager at half of its limit that the server is alive, but only if it is. A main loop that
 * stands still notifies nothing, and a part that does not answer keeps this from it: in both cases the manager kills
 * the process and starts it afresh. Returns what ends it.
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
