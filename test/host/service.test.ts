import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runService, type Service } from '../../src/host/service.ts';
import type { ServiceManager } from '../../src/host/systemd.ts';

const LISTENING = 'ready: Listening on http://127.0.0.1:8080';
const STOPPED = ['stopping within 45000', 'stop'];

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} stops the service, and the manager hears of it before`, async () => {
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

test.run();

/** A service between signals and a manager, and what both were told. */
function running(changed: Partial<Service> = {}) {
  const heard: string[] = [];
  const news = new EventEmitter();
  const hear = async (what: string): Promise<void> => {
    heard.push(what);
    news.emit('heard');
  };
  const service: Service = {
    url: 'http://127.0.0.1:8080',
    stopsWithinMs: 45_000,
    isAlive: async () => true,
    reload: () => hear('reload'),
    stop: () => hear('stop'),
    ...changed,
  };
  const manager: ServiceManager = {
    watchdogMs: null,
    ready: (status) => hear(`ready: ${status}`),
    reloading: () => hear('reloading'),
    stopping: (withinMs) => hear(`stopping within ${withinMs}`),
    alive: () => hear('alive'),
  };
  const process = new EventEmitter();
  const log = pino({ level: 'silent' });
  const ended = runService(service, { process: process as unknown as NodeJS.Process, manager, log });
  const until = async (count: number): Promise<void> => {
    while (heard.length < count) await new Promise((resolve) => news.once('heard', resolve));
  };
  return { process, heard, ended, until };
}
