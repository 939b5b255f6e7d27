import { type ExecFileException, execFile } from 'node:child_process';
import { fstatSync } from 'node:fs';
import type { DestinationStream, Logger } from 'pino';
import type { OperatorProblem } from '../process/problem.ts';
import { untilStopped } from '../process/until-stopped.ts';

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

interface ServiceOptions {
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

/** Absolute, so that no PATH decides what the service runs. Node cannot open systemd's datagram socket. */
const SYSTEMD_NOTIFY = '/usr/bin/systemd-notify';
/** Usually 10 ms. A busy systemd may lose a message but never block the server. */
const DEADLINE_MS = 5_000;
/** A stop may repeatedly signal the whole control group, messenger included. */
const ATTEMPTS = 5;

/** Messages to the service manager. They never fail: a lost one is logged, and the server goes on. */
export interface ServiceManager {
  /** Start or reload is done. */
  ready(status: string): Promise<void>;
  reloading(): Promise<void>;
  /** `withinMs`: how long the stop may take before a kill. */
  stopping(withinMs: number): Promise<void>;
  alive(): Promise<void>;
  /** How long the manager waits for `alive` before a kill; null: it does not watch. */
  readonly watchdogMs: number | null;
}

interface ServiceManagerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly log: Logger;
  readonly notify?: string;
}

/** Returns the systemd that started this process. Without one, nothing is notified. See sd_notify(3). */
export function serviceManager({ env, pid, log, notify = SYSTEMD_NOTIFY }: ServiceManagerOptions): ServiceManager {
  const isThere = Boolean(env.NOTIFY_SOCKET);
  const sendState = (...assignments: readonly string[]): Promise<void> =>
    isThere ? send(notify, assignments, log) : Promise.resolve();
  return {
    ready: (status) => sendState('READY=1', `STATUS=${status}`),
    reloading: () => sendState('RELOADING=1', 'STATUS=Reloading certificates and credentials'),
    stopping: (withinMs) =>
      sendState('STOPPING=1', `EXTEND_TIMEOUT_USEC=${withinMs * 1000}`, 'STATUS=Sending due pushes, then stopping'),
    alive: () => sendState('WATCHDOG=1'),
    watchdogMs: isThere ? watchdogMs(env, pid) : null,
  };
}

/** The limit is for systemd's own child, no descendants. */
function watchdogMs(env: ServiceManagerOptions['env'], pid: number): number | null {
  const ms = Math.floor(Number(env.WATCHDOG_USEC) / 1000);
  const isMeant = env.WATCHDOG_PID === undefined || Number(env.WATCHDOG_PID) === pid;
  return isMeant && ms > 0 ? ms : null;
}

async function send(notify: string, assignments: readonly string[], log: Logger): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const error = await run(notify, assignments);
    if (!error) return;
    const wasStoppedByOthers = error.signal && !error.killed;
    if (wasStoppedByOthers && attempt < ATTEMPTS) continue;
    log.warn({ code: error.code ?? error.signal, notify }, 'systemd could not be notified');
    return;
  }
}

function run(notify: string, assignments: readonly string[]): Promise<ExecFileException | null> {
  return new Promise((resolve) => execFile(notify, assignments, { timeout: DEADLINE_MS }, (error) => resolve(error)));
}

interface WatchdogOptions {
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

const STDOUT = 1;

/** The journal's severities by pino's levels: sd-daemon(3). */
const SEVERITIES: Readonly<Record<string, number>> = { 60: 2, 50: 3, 40: 4, 30: 6, 20: 7, 10: 7 };

/** Returns whether standard output is systemd's journal, by the socket it names. */
export function isJournal({ JOURNAL_STREAM }: Readonly<Record<string, string | undefined>>): boolean {
  const { dev, ino } = fstatSync(STDOUT);
  return JOURNAL_STREAM === `${dev}:${ino}`;
}

/** Adds each line's severity for `journalctl --priority`; the journal removes it. */
export function withSeverity(destination: DestinationStream): DestinationStream {
  return {
    write(line) {
      const [, level = '30'] = /^\{"level":(\d+)/.exec(line) ?? [];
      destination.write(`<${SEVERITIES[level] ?? 6}>${line}`);
    },
  };
}

/** Returns pino's level for the severity of others' lines. */
export function levelOf(severity: number): number {
  const levels = Object.entries(SEVERITIES).filter(([, levelSeverity]) => levelSeverity >= severity);
  return Math.max(20, ...levels.map(([level]) => Number(level)));
}
