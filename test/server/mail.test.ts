import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createTransport } from 'nodemailer';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Resources } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { aPair } from '../support/tls-pair.ts';
import { untilIs } from '../support/until.ts';

const MAIL = { from: 'nas@example.com', to: 'alerts@push.example.com', subject: 'Disk full', text: 'db-1' };

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const opened = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return opened;
}

async function fingerprintAt(port: number, ca: string): Promise<string> {
  const socket = connectTls({ host: '127.0.0.1', port, ca });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

test('a mail becomes a push, and a stop closes the port', async () => {
  await using opened = new Resources();
  const lines: string[] = [];
  const { server, sandbox, team } = await startTestServer(opened, {
    env: { PUSHCTL_SENDERS_SMTP_LISTEN: '127.0.0.1:0' },
    log: (line) => lines.push(line),
  });
  await team.addDevice(sandbox, { platform: 'android' });
  const port = server.mailPort ?? 0;
  assert.match(lines.join(''), `"mail":"127.0.0.1:${port}"`);
  const transport = createTransport({ host: '127.0.0.1', port, auth: { user: 'nas', pass: team.key } });
  const { response } = await transport.sendMail(MAIL);
  transport.close();
  const [, id = ''] = /Accepted as (evt_\w+)/.exec(response) ?? [];
  await untilIs('the push', async () => (await team.read(id)).deliveries.accepted, 1);
  await server.stop();
  assert.not.ok(await isOpen(port));
});

test('with a port for implicit TLS alone, mail is taken there, a reload renews its certificate, and a stop closes it', async () => {
  await using opened = new Resources();
  const { ca, files, make, put } = await aPair();
  const lines: string[] = [];
  const env = {
    PUSHCTL_TLS_CERT: files.cert,
    PUSHCTL_TLS_KEY: files.key,
    PUSHCTL_SENDERS_SMTP_LISTEN_TLS: '127.0.0.1:0',
  };
  const { server, team } = await startTestServer(opened, { env, log: (line) => lines.push(line) });
  const port = server.mailTlsPort ?? 0;
  assert.is(server.mailPort, null);
  assert.match(lines.join(''), `"mail_tls":"127.0.0.1:${port}"`);
  const auth = { user: 'nas', pass: team.key };
  const transport = createTransport({ host: '127.0.0.1', port, secure: true, tls: { ca }, auth });
  assert.match((await transport.sendMail(MAIL)).response, 'Accepted as evt_');
  transport.close();
  const before = await fingerprintAt(port, ca);
  put(await make());
  await server.reload();
  assert.is.not(await fingerprintAt(port, ca), before);
  await server.stop();
  assert.not.ok(await isOpen(port));
});

test('without the settings no port is opened', async () => {
  await using opened = new Resources();
  const { server } = await startTestServer(opened);
  assert.equal([server.mailPort, server.mailTlsPort], [null, null]);
});

test('a port that is taken is named with its setting, and the server ends whole', async () => {
  await using opened = new Resources();
  const free = '127.0.0.1:0';
  const env = { PUSHCTL_SENDERS_SMTP_LISTEN: free, PUSHCTL_METRICS_LISTEN: free };
  const { server } = await startTestServer(opened, { env });
  const ports = {
    'senders.smtp.listen': `${server.mailPort}`,
    'metrics.listen': new URL(server.metricsUrl ?? '').port,
  };
  for (const [setting, port] of Object.entries(ports)) {
    const place = `127.0.0.1:${port}`;
    const another = startTestServer(opened, {
      env: { [`PUSHCTL_${setting.replaceAll('.', '_').toUpperCase()}`]: place },
    });
    const error = await another.then(
      () => null,
      (thrown: Error) => thrown,
    );
    assert.match(error?.message ?? '', `${setting}`);
    assert.match(error?.message ?? '', place);
  }
});

test.run();
