import { ChildProcess } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OrderJob } from '../../src/acme/order.ts';
import { makeAccountKey, runOrder } from '../../src/acme/run-order.ts';
import { FakeCa } from '../support/acme-ca.ts';
import { Resources } from '../support/resources.ts';

const JOB: OrderJob = {
  settings: { domains: ['push.example.com'], contact: null, directory: 'https://localhost:1/directory' },
  ca: null,
  accountKey: makeAccountKey(),
  replaces: null,
  challenges: ['tls-alpn-01'],
  pollMs: 10,
};

test('A server that stops ends the process that asks, and one that asks says what came of it', async () => {
  await using opened = new Resources();
  const ca = opened.add(await FakeCa.start());
  const shown: string[] = [];
  const stop = new AbortController();
  const job = { ...JOB, settings: { ...JOB.settings, directory: ca.directory }, ca: ca.authority.certPem };
  const keep = { show: ({ type }: { type: string }) => void shown.push(type), clear: () => void shown.push('cleared') };
  ca.finding = { status: 400, type: 'dns', detail: 'NXDOMAIN' };
  const refused = await runOrder(job, keep, stop.signal);
  assert.is(refused.problem?.sentence, 'NXDOMAIN');
  assert.equal(shown, ['tls-alpn-01', 'cleared']);
  const ended = await runOrder(job, { ...keep, show: () => stop.abort() }, stop.signal);
  assert.is(ended.pair, null);
  assert.match(String(ended.problem?.sentence), 'the process of the order failed');
});

test('A challenge that cannot be shown is an order that failed', async () => {
  await using opened = new Resources();
  const ca = opened.add(await FakeCa.start());
  const job = { ...JOB, settings: { ...JOB.settings, directory: ca.directory }, ca: ca.authority.certPem };
  const show = () => {
    throw new Error('no such key');
  };
  const { problem } = await runOrder(job, { show, clear: () => {} }, new AbortController().signal);
  assert.is(problem?.sentence, 'the process of the order failed: no such key');
});

test('A machine without memory, or files, for a process is an order that failed', async () => {
  const { spawn } = ChildProcess.prototype as unknown as Spawning;
  const failing: readonly Spawning['spawn'][] = [
    () => {
      throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' });
    },
    function (this: ChildProcess) {
      process.nextTick(() => this.emit('error', Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' })));
    },
  ];
  for (const fails of failing) {
    Object.assign(ChildProcess.prototype, { spawn: fails });
    const stop = new AbortController();
    const ordered = runOrder(JOB, { show: () => {}, clear: () => {} }, stop.signal);
    Object.assign(ChildProcess.prototype, { spawn });
    const { problem } = await ordered;
    assert.match(String(problem?.sentence), /^the process of the order failed: spawn E(NOMEM|MFILE)$/);
    assert.match(String(problem?.type), /^E(NOMEM|MFILE)$/);
    stop.abort();
  }
});

test.run();

interface Spawning {
  spawn(this: ChildProcess): void;
}
