import { createServer, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Finding, fail } from '../../src/process/finding.ts';
import type { ServerFindings } from '../../src/server/findings.ts';
import { SignOfLife, type SignOfLifeOptions } from '../../src/server/sign-of-life.ts';
import { Resources } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { SimulatedClock } from '../support/simulation.ts';
import { until } from '../support/until.ts';

const test = suite('sign of life');

test('A server requests the address of its watchdog as soon as it serves', async () => {
  await using opened = new Resources();
  const monitor = await aMonitor(opened);
  await startTestServer(opened, { env: { PUSHCTL_WATCHDOG_URL: monitor.url } });
  await until('the sign of life', () => monitor.asked() > 0 || monitor.asked());
});

test('It reports as often as it is to, but not while it takes no events', async () => {
  await using opened = new Resources();
  const monitor = await aMonitor(opened);
  const { next, ended } = reporting(monitor.url);
  await next(fail('server', 'takes no events', 'see the log'));
  await ended();
  assert.is(monitor.asked(), 1);
  await next(null);
  await ended();
  assert.is(monitor.asked(), 2);
});

test('The reason why a monitor cannot take it is logged once, with only the host of the address', async () => {
  await using opened = new Resources();
  const monitor = await aMonitor(opened);
  const { next, ended, lines } = reporting(monitor.url);
  for (const status of [404, 404, 200]) {
    await ended();
    monitor.answer(status);
    await next(null);
  }
  await ended();
  assert.is(lines.length, 2);
  assert.match(lines[0] ?? '', /"host":"127\.0\.0\.1:\d+","reason":"HTTP 404"/);
  assert.match(lines[1] ?? '', 'again');
  assert.not.match(lines.join(''), 'secret');
});

test('A redirect is logged as a fault, and its target is not requested', async () => {
  await using opened = new Resources();
  const [monitor, other] = [await aMonitor(opened), await aMonitor(opened)];
  monitor.answer(302, { Location: other.url });
  const { ended, lines } = reporting(monitor.url);
  await ended();
  assert.equal([monitor.asked(), other.asked(), lines.length], [1, 0, 1]);
  assert.match(lines[0] ?? '', '"reason":"HTTP 302"');
});

test('A monitor that does not answer in time is one that does not take it', async () => {
  await using opened = new Resources();
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  opened.onEnd(async () => void silent.close().closeAllConnections());
  const { port } = silent.address() as AddressInfo;
  const { ended, lines } = reporting(`http://127.0.0.1:${port}`, { withinMs: 50 });
  await ended();
  assert.match(lines.join(''), '"reason":"ETIMEDOUT"');
});

test('Once it is stopped it plans nothing more, whether it rests or reports', async () => {
  for (const isAtWork of [false, true]) {
    const clock = new SimulatedClock();
    const { promise, resolve } = Promise.withResolvers<Finding>();
    const life = reporting('http://127.0.0.1:1', { stopping: () => promise, after: clock.after }).life;
    const answer = () => resolve(fail('server', 'takes no events', 'see the log'));
    if (!isAtWork) answer();
    await clock.settle();
    assert.is(clock.timers, isAtWork ? 0 : 1);
    life.stop();
    answer();
    await clock.settle();
    assert.is(clock.timers, 0);
  }
});

test.run();

/** `next`: its time comes, and this is what keeps it from taking events. `ended`: it waits for that. */
function reporting(url: string, deps: Partial<SignOfLifeOptions & ServerFindings> = {}) {
  let begin: (() => void) | null = null;
  const lines: string[] = [];
  let finding: Finding | null = null;
  const life = new SignOfLife({
    url,
    everyMs: 60_000,
    findings: { stopping: deps.stopping ?? (async () => finding) },
    after: (ms, fn) => {
      assert.is(ms, 60_000);
      begin = fn;
      return () => {};
    },
    log: pino({ base: null }, { write: (line) => void lines.push(line) }),
    ...deps,
  });
  life.start();
  const ended = () => until('the end of its report', () => begin !== null);
  const next = async (fault: Finding | null) => {
    await ended();
    finding = fault;
    const report = begin;
    begin = null;
    report?.();
  };
  return { life, lines, next, ended };
}

async function aMonitor(opened: Resources) {
  let asked = 0;
  let head: [status: number, headers?: OutgoingHttpHeaders] = [200];
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(...head).end('OK');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.onEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const answer = (...next: typeof head) => {
    head = next;
  };
  return { url: `http://127.0.0.1:${port}/ping/secret`, asked: () => asked, answer };
}
