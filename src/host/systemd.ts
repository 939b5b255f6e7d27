import { type ExecFileException, execFile } from 'node:child_process';
import type { Logger } from 'pino';

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

export interface ServiceManagerOptions {
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
