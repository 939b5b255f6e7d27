import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../src/config/load.ts';
import { gather } from '../../src/host/doctor/gather.ts';
import { systemClock } from '../../src/process/clock.ts';
import { packageVersion } from '../../src/process/package.ts';
import type { RunningServer } from '../../src/server/server.ts';
import { FakeCa } from '../support/acme-ca.ts';
import { dataFolder } from '../support/data-folder.ts';
import { Resources } from '../support/resources.ts';
import { type Env, serveHere } from '../support/server.ts';
import { until, untilIs } from '../support/until.ts';

test('A server without a certificate serves a self-signed one, gets one by its own port, and keeps it over a restart', async () => {
  await using opened = new Resources();
  const { ca, env, log, serve } = await aServer(opened);
  const port = Promise.withResolvers<number>();
  ca.port = port.promise;
  const server = await serve();
  assert.match((await served(server)).subject, 'self-signed');
  assert.not.match(await metricsOf(server), /^pushctl_certificate_expiry/m);
  assert.match(
    await certificateFindings(env),
    /^warn pushctl (?:is asking|will ask) \S+ for one for push\.example\.com/,
  );
  port.resolve(Number(new URL(server.url).port));
  await until(
    'the certificate',
    async () => (await served(server)).issuer === certificateOf(ca.authority.certPem).subject,
  );
  const first = await served(server);
  assert.is(first.subjectAltName, 'DNS:push.example.com');
  assert.match(
    await metricsOf(server),
    `pushctl_certificate_expiry_timestamp_seconds ${Date.parse(first.validTo) / 1_000}`,
  );
  const folder = join(String(env.PUSHCTL_DATA_DIR), 'tls');
  await untilIs('the files', () => readdirSync(folder).length, 3);
  assert.equal(readdirSync(folder).sort(), ['account.pem', 'certificate.pem', 'state.json']);
  assert.match(
    await certificateFindings(env),
    /^ok is from localhost:\d+, which renews it in time, and is valid for 89 days$/,
  );
  await server.stop();
  const again = await serve();
  assert.is((await served(again)).fingerprint256, first.fingerprint256);
  assert.is(ca.orders.length, 1);
  assert.equal(ca.wrongs, []);
  assert.not.match(log.join(''), /PRIVATE|BEGIN/);
});

test("The authority's objection is in status and doctor, with what to do, and in the log", async () => {
  await using opened = new Resources();
  const { ca, env, log, serve } = await aServer(opened);
  ca.refusal = { status: 400, type: 'rejectedIdentifier', detail: 'The CA does not issue for push.example.com' };
  const server = await serve();
  const expected = 'issued none for push.example.com: The CA does not issue for push.example.com; next attempt at';
  await until('the refusal', async () => (await certificateFindings(env)).includes(expected));
  assert.match(await certificateFindings(env), /^fail .*the server shows a self-signed one, which no client trusts$/);
  assert.match(log.join(''), /"level":40.*"reason":"The CA does not issue for push\.example\.com"/);
  await server.stop();
  assert.match(await certificateFindings(env), expected, 'also where no server runs');
});

test.run();

async function aServer(opened: Resources) {
  const ca = opened.add(await FakeCa.start());
  const log: string[] = [];
  const env: Env = {
    PUSHCTL_DATA_DIR: dataFolder(),
    PUSHCTL_LISTEN: '127.0.0.1:0',
    PUSHCTL_METRICS_LISTEN: '127.0.0.1:0',
    PUSHCTL_DELIVERY_THREADS: '1',
    PUSHCTL_TLS_ACME_DOMAINS: 'push.example.com',
    PUSHCTL_TLS_ACME_DIRECTORY: ca.directory,
    PUSHCTL_TLS_ACME_CA_FILE: ca.caFile,
  };
  return { ca, env, log, serve: () => serveHere(opened, env, { log: (line) => log.push(line) }) };
}

async function served({ url }: RunningServer): Promise<X509Certificate> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  if (certificate === undefined) throw new Error('no certificate is shown');
  return certificate;
}

function certificateOf(pem: string): X509Certificate {
  return new X509Certificate(pem);
}

async function metricsOf({ metricsUrl }: RunningServer): Promise<string> {
  return (await fetch(String(metricsUrl))).text();
}

/** Returns the findings of `status` and `doctor`. */
async function certificateFindings(env: Env): Promise<string> {
  const loaded = { config: loadConfig({ env }), file: null, version: packageVersion(), clock: systemClock() };
  const { findings } = await gather(loaded, false);
  return findings
    .filter(({ check }) => check === 'certificate')
    .map(({ status, message }) => `${status} ${message}`)
    .join('\n');
}
