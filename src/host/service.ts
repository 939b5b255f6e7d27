import type { Logger } from 'pino';
import type { OperatorProblem } from '../process/problem.ts';
import { untilStopped } from '../process/until-stopped.ts';
import type { ServiceManager } from './systemd.ts';
import { feedWatchdog } from './watchdog.ts';

export interface Service {
  readonly url: string;
  /** A longer stop never ends. */
  readonly stopsWithinMs: number;
  isAlive(): Promise<boolean>;
  reload(): Promise<void>;
  stop(): Promise<void>;
  /** Resolves with the reason once the service must stop by itself. */
  readonly dismissed: Promise<OperatorProblem>;
}

export interface ServiceOptions {
  readonly process: Pick<NodeJS.Process, 'on' | 'off'>;
  readonly manager: ServiceManager;
  readonly log: Logger;
}

/**
 * Runs the service until it has stopped. SIGTERM and SIGINT stop it, SIGHUP reloads it. Notifies the service manager.
 * Throws the reason if the service stopped by itself.
 */
export async function runService(service: Service, { process, manager, log }: ServiceOptions): Promise<void> {
  const status = `Listening on ${service.url}`;
  const reload = async (): Promise<void> => {
    await manager.reloading();
    await service.reload().catch((error: Error) => log.error(`the reload failed: ${error.message}`));
    await manager.ready(status);
  };
  let isStopping = false;
  const onHangUp = (): void => void (isStopping || reload());
  process.on('SIGHUP', onHangUp);
  const notified = untilStopped(process);
  const stopFeeding = feedWatchdog({ manager, isAlive: () => service.isAlive(), log });
  await manager.ready(status);

  const reason = await Promise.race([notified, service.dismissed]);
  if (reason) log.warn(reason.message);
  isStopping = true;
  // The manager does not watch a stop.
  stopFeeding();
  await manager.stopping(service.stopsWithinMs);
  await service.stop();
  process.off('SIGHUP', onHangUp);
  if (reason) throw reason;
}
