import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OrderJob } from '../../src/acme/order.ts';
import { runOrder } from '../../src/acme/run-order.ts';
import { FakeCa } from '../support/acme-ca.ts';
import { Opened } from '../support/opened.ts';

test('A server that stops ends the process that asks, and one that asks says what came of it', async () => {
  await using opened = new Opened();
  const ca = opened.add(await FakeCa.start());
  const shown: string[] = [];
  const stop = new AbortController();
  const job: OrderJob = {
    settings: { domains: ['push.example.com'], contact: null, directory: ca.directory },
    ca: ca.authority.certPem,
    accountKey: null,
    replaces: null,
    challenges: ['tls-alpn-01'],
    pollMs: 10,
  };
  const keep = { show: ({ type }: { type: string }) => void shown.push(type), clear: () => void shown.push('cleared') };
  ca.finding = { status: 400, type: 'dns', detail: 'NXDOMAIN' };
  const refused = await runOrder(job, keep, stop.signal);
  assert.is(refused.problem?.sentence, 'NXDOMAIN');
  assert.match(String(refused.accountKey), 'PRIVATE KEY', 'an account is kept, whatever came of the order');
  assert.equal(shown, ['tls-alpn-01', 'cleared']);
  const ended = await runOrder(job, { ...keep, show: () => stop.abort() }, stop.signal);
  assert.is(ended.pair, null);
  assert.match(String(ended.problem?.sentence), 'the process that asks for it');
});

test.run();
