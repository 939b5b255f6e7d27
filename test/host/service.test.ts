import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { feedWatchdog, runService, type Service, type ServiceManager } from '../../src/host/systemd.ts';
import { OperatorProblem } from '../../src/process/problem.ts';

const LISTENING = 'ready: Listening on http://127.0.0.1:8080';
const STOPPED = ['stopping within 45000', 'stop'];

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} stops the service, and the manager is notified before`, async () => {
    const { process, heard, ended, until } = running();
    await until(1);
    process.emit(signal);
    await ended;
    assert.equal(heard, [LISTENING, ...STOPPED]);
  });
}

test('SIGHUP makes the service reload, and the manager hears when that is done', async () => {
  const { process, heard, ended, until } = running();
  await until(1);
  process.emit('SIGHUP');
  await until(4);
  process.emit('SIGTERM');
  await ended;
  assert.equal(heard, [LISTENING, 'reloading', 'reload', LISTENING, ...STOPPED]);
});

test('A reload that fails leaves the service running and ready', async () => {
  const { process, heard, ended, until } = running({ reload: () => Promise.reject(new Error('no such file')) });
  await until(1);
  process.emit('SIGHUP');
  await until(3);
  process.emit('SIGTERM');
  await ended;
  assert.equal(heard, [LISTENING, 'reloading', LISTENING, ...STOPPED]);
});

test('During a stop nothing asks whether all parts are there, and SIGHUP reloads nothing', async () => {
  const watchdogMs = 4;
  let asked = 0;
  const hung = Promise.withResolvers<void>();
  const isAlive = async () => {
    asked += 1;
    return false;
  };
  const { process, heard, ended, until } = running({ isAlive, stop: () => hung.promise }, { watchdogMs });
  await until(1);
  process.emit('SIGTERM');
  await until(2);
  const before = asked;
  process.emit('SIGHUP');
  await threeFeedings(watchdogMs);
  hung.resolve();
  await ended;
  assert.is(asked, before);
  assert.equal(heard, [LISTENING, 'stopping within 45000']);
});

test.run();

/** The time in which another watchdog has been fed three times. */
async function threeFeedings(watchdogMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let fed = 0;
  const alive = async () => void (++fed === 3 && resolve());
  const stop = feedWatchdog({
    manager: { watchdogMs, alive },
    isAlive: async () => true,
    log: pino({ level: 'silent' }),
  });
  await promise;
  stop();
}

test('A service that an upgrade dismisses stops by itself with the reason', async () => {
  const reason = new OperatorProblem('A newer pushctl upgrades the database', 75);
  const { heard, ended } = running({ dismissed: Promise.resolve(reason) });
  assert.is(await ended.catch((error: unknown) => error), reason);
  assert.equal(heard.slice(1), ['stopping within 45000', 'stop']);
});

/** A service between signals and a manager, and what both were notified of. */
function running(changed: Partial<Service> = {}, watched: Partial<ServiceManager> = {}) {
  const heard: string[] = [];
  const signals = new EventEmitter();
  const hear = async (what: string): Promise<void> => {
    heard.push(what);
    signals.emit('heard');
  };
  const service: Service = {
    url: 'http://127.0.0.1:8080',
    stopsWithinMs: 45_000,
    isAlive: async () => true,
    reload: () => hear('reload'),
    stop: () => hear('stop'),
    dismissed: new Promise(() => {}),
    ...changed,
  };
  const manager: ServiceManager = {
    watchdogMs: null,
    ready: (status) => hear(`ready: ${status}`),
    reloading: () => hear('reloading'),
    stopping: (withinMs) => hear(`stopping within ${withinMs}`),
    alive: () => hear('alive'),
    ...watched,
  };
  const process = new EventEmitter();
  const log = pino({ level: 'silent' });
  const ended = runService(service, { process: process as unknown as NodeJS.Process, manager, log });
  const until = async (count: number): Promise<void> => {
    while (heard.length < count) await new Promise((resolve) => signals.once('heard', resolve));
  };
  return { process, heard, ended, until };
}
