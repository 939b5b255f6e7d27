import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fail, warn } from '../../src/process/finding.ts';
import { packagePath } from '../../src/process/package.ts';
import { OperatorProblem } from '../../src/process/problem.ts';
import type { MetricSources } from '../../src/server/gauges.ts';
import { Metrics } from '../../src/server/metrics.ts';
import { StoreUnavailable } from '../../src/store/calls.ts';
import { ADA } from '../support/cast.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { serveHere, serverEnv, settled, startTestServer } from '../support/server.ts';
import { signIn } from '../support/sign-in.ts';
import { openStream } from '../support/stream.ts';
import { until } from '../support/until.ts';

const test = suite('metrics');
const ON = { PUSHCTL_METRICS_LISTEN: '127.0.0.1:0' };

test('Prometheus gets the counters, histograms and gauges of a server that has sent something', async () => {
  await using opened = new Resources();
  const { server, sandbox, team } = await startTestServer(opened, { env: ON });
  await team.addDevice(sandbox, { platform: 'android' });
  const { body } = await team.post({ url: 'https://example.com/secret' });
  await settled(team, body.event.public_id);
  const answer = await fetch(String(server.metricsUrl));
  assert.match(answer.headers.get('content-type') ?? '', 'text/plain');
  const text = await answer.text();
  for (const line of [
    /^pushctl_events_accepted_total 1$/m,
    /^pushctl_push_answers_total\{route="fcm",outcome="accepted"\} 1$/m,
    /^pushctl_http_request_duration_seconds_count\{method="POST",route="\/api\/v1\/events",status="202"\} 1$/m,
    /^pushctl_store_commit_duration_seconds_count [1-9]\d*$/m,
    /^pushctl_queue_wait_seconds_count\{route="fcm",lane="standard"\} 1$/m,
    /^pushctl_send_duration_seconds_count\{route="fcm"\} 1$/m,
    /^pushctl_queue_waiting\{route="fcm",lane="standard"\} 0$/m,
    /^pushctl_route_paused\{route="fcm"\} 0$/m,
    /^pushctl_provider_connections\{route="fcm"\} \d+$/m,
    /^pushctl_delivery_threads 1$/m,
    /^pushctl_links_bytes 0$/m,
    /^pushctl_open_alerts 0$/m,
    /^pushctl_maintenance_active 0$/m,
    /^pushctl_alerts_total\{end="expired"\} 0$/m,
    /^pushctl_database_bytes\{file="wal"\} [1-9]\d*$/m,
    /^pushctl_build_info\{version="[^"]+"\} 1$/m,
    /^nodejs_eventloop_lag_seconds /m,
  ]) {
    assert.match(text, line);
  }
  for (const secret of ['acme', '"alerts"', 'Disk full', 'secret', team.key])
    assert.not.ok(text.includes(secret), secret);
  const head = await fetch(String(server.metricsUrl), { method: 'HEAD' });
  assert.equal([head.status, await head.text()], [200, '']);
  for (const path of ['/other', '/healthz', '/readyz', '/openapi.json', '/api/openapi.json', '/api/v1/connection'])
    assert.is((await fetch(new URL(path, String(server.metricsUrl)))).status, 404, path);
  assert.is((await fetch(new URL('/metrics', server.url))).status, 404, 'nor are metrics on the listener of the API');
});

test('Each metric that the alert rules and the dashboard read is one of the server', async () => {
  await using opened = new Resources();
  const { server } = await startTestServer(opened, { env: ON });
  const text = await (await fetch(String(server.metricsUrl))).text();
  const names = new Set<string>();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    names.add(name);
    if (type === 'histogram') for (const part of ['bucket', 'sum', 'count']) names.add(`${name}_${part}`);
  }
  for (const file of ['rules.yml', 'dashboard.json']) {
    const read = readFileSync(packagePath('systemd', 'monitoring', file), 'utf8').match(/\b(pushctl|process)_\w+/g);
    assert.ok(new Set(read).size >= 8);
    for (const name of read ?? []) assert.ok(names.has(name), `${name} of ${file}`);
  }
});

test('Every name keeps to the conventions: its prefix, its unit at the end, its help', async () => {
  await using opened = new Resources();
  const { server } = await startTestServer(opened, { env: ON });
  const text = await (await fetch(String(server.metricsUrl))).text();
  const own = [...text.matchAll(/^# HELP (pushctl_\w+) (.+)$/gm)].map(([, name]) => name ?? '');
  assert.ok(own.length >= 13);
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    assert.is(/_total$/.test(name), type === 'counter', name);
    if (type === 'histogram' && name.startsWith('pushctl_')) assert.match(name, /_(seconds|calls)$/);
  }
});

test('However many gauges report it, the queue is counted once a scrape', async () => {
  await using opened = new Resources();
  let counted = 0;
  const { url } = await gauges(opened, {
    async queueDepth() {
      counted += 1;
      return [{ route: 'fcm', lane: 'urgent', waiting: 3, deferred: 4 }];
    },
  });
  for (const scrapes of [1, 2]) {
    const text = await (await fetch(url)).text();
    assert.match(text, /^pushctl_queue_waiting\{route="fcm",lane="urgent"\} 3$/m);
    assert.match(text, /^pushctl_queue_deferred\{route="fcm",lane="urgent"\} 4$/m);
    assert.match(text, /^pushctl_quarantined_devices\{route="fcm",reason="BadDeviceToken"\} 5$/m);
    assert.is(counted, scrapes);
  }
});

test('While the database cannot be asked, the metrics show what the server itself knows', async () => {
  await using opened = new Resources();
  const gone = () => Promise.reject(new StoreUnavailable('the connection to the database is lost'));
  const { url } = await gauges(opened, { queueDepth: gone, queueAge: gone, listRoutes: gone });
  const answer = await fetch(url);
  assert.is(answer.status, 200);
  const text = await answer.text();
  for (const line of [
    /^pushctl_living_nodes 3$/m,
    /^pushctl_deliveries_still_seconds\{route="fcm"\} 90$/m,
    /^pushctl_findings\{check="queue",severity="warn"\} 1$/m,
    /^pushctl_findings\{check="fcm",severity="fail"\} 1$/m,
  ]) {
    assert.match(text, line);
  }
  assert.not.match(text, /^pushctl_queue_waiting\{/m);
});

test('Maintenance windows that are on are counted, and planned ones are not', async () => {
  await using opened = new Resources();
  const { server, team } = await startTestServer(opened, { env: ON });
  const window = { workspace: 'acme', slug: 'alerts', for: 3_600 } as const;
  for (let nth = 0; nth < 7; nth += 1) granted(await team.store.createMaintenance({ ...window, only: `k${nth}` }));
  granted(await team.store.createMaintenance({ ...window, fromMs: Date.now() + 3_600_000 }));
  await until('they are counted', async () => {
    const text = await (await fetch(String(server.metricsUrl))).text();
    return text.includes('\npushctl_maintenance_active 7\n');
  });
});

test('Accepted pushes without a sound are counted by their reason', async () => {
  await using opened = new Resources();
  const { server, sandbox, team } = await startTestServer(opened, { env: ON });
  await team.addDevice(sandbox, { platform: 'android' });
  granted(await team.store.createMaintenance({ workspace: team.slug, slug: 'alerts', for: 3_600 }));
  const { body } = await team.post({ title: 'Deployed' });
  await settled(team, body.event.public_id);
  const read = async () => (await fetch(String(server.metricsUrl))).text();
  // The notice about the window is quiet as well.
  await until('both are counted', async () => /^pushctl_quiet_pushes_total\{reason="notice"\} 1$/m.test(await read()));
  assert.match(await read(), /^pushctl_quiet_pushes_total\{reason="maintenance"\} 1$/m);
  assert.match(await read(), /^pushctl_quiet_pushes_total\{reason="storm"\} 0$/m);
});

test('Streams are counted for as long as they are open', async () => {
  await using opened = new Resources();
  const { server, team } = await startTestServer(opened, { env: ON });
  const isTold = async (count: number): Promise<boolean> => {
    const text = await (await fetch(String(server.metricsUrl))).text();
    return text.includes(`\npushctl_open_streams ${count}\n`);
  };
  const key = await signIn({ http: server, store: team.store }, ADA);
  assert.ok(await isTold(0));
  const streams = [await openStream(server.url, { key }), await openStream(server.url, { key })];
  assert.ok(await isTold(2));
  for (const stream of streams) stream.close();
  await until('they are counted no longer', () => isTold(0));
});

test('Without a listener in the configuration there is none', async () => {
  await using opened = new Resources();
  const { server } = await startTestServer(opened);
  assert.is(server.metricsUrl, null);
});

test('Metrics without a value are left out, and are not 0', async () => {
  await using opened = new Resources();
  const { url } = await gauges(opened, {});
  assert.not.match(await (await fetch(url)).text(), /^pushctl_(?:certificate_expiry|last_backup)_timestamp_seconds/m);
});

test('A taken port is a problem that says so, and nothing stays open', async () => {
  await using opened = new Resources();
  const first = await startTestServer(opened, { env: ON });
  const { port } = new URL(String(first.server.metricsUrl));
  const env = await serverEnv(first.sandbox, { PUSHCTL_METRICS_LISTEN: `127.0.0.1:${port}` });
  const error = await serveHere(opened, env).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.instance(error, OperatorProblem);
  assert.match((error as Error).message, `metrics.listen: 127.0.0.1:${port} is in use by another process`);
  assert.not.match((error as Error).message, 'EADDRINUSE');
});

test.run();

/** Those of a server that has sent nothing yet. */
async function gauges(opened: Resources, store: Partial<MetricSources['store']>) {
  const metrics = new Metrics();
  const quarantined = [{ reason: 'BadDeviceToken', devices: 5, accepted_before: 0, since: '' }];
  const countAlerts = async () => ({ open: 2, oldest_opened_at: '2026-11-21T09:30:00.123+00:00' });
  const nothing = { queueDepth: async () => [], queueAge: async () => [], countAlerts };
  const listRoutes = async () => [{ route: 'fcm', paused_at: null, quarantined, live: null } as const];
  metrics.gauge({
    store: { ...nothing, listRoutes, ...store },
    databaseFile: null,
    livingNodes: () => 3,
    version: '1',
    pauses: () => [],
    batchesInFlight: () => 0,
    deliveryThreads: () => 1,
    connections: () => 0,
    linksBytes: () => 0,
    openStreams: () => 0,
    stillMs: () => new Map([['fcm', 90_000]]),
    findings: {
      all: async () => [warn('queue', 'stands still', 'look'), fail('fcm', 'is paused', 'wait')],
      stored: async () => null,
    },
    certificateEndsAtMs: () => null,
    lastBackupBytes: () => 4_096,
  });
  return opened.add(await metrics.listen({ host: '127.0.0.1', port: 0 }));
}
