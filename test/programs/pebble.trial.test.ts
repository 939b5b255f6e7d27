import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { order } from '../../src/acme/order.ts';
import { whyUnusable } from '../../src/acme/plan.ts';
import { askRenewalInfo, certificateId } from '../../src/acme/requests.ts';
import { ChallengeAnswers, makeAccountKey } from '../../src/acme/run-order.ts';
import { TlsFolder } from '../../src/acme/state.ts';
import { makeIdentity } from '../support/acme-ca.ts';
import { RunningCli } from '../support/cli.ts';
import { dataFolder } from '../support/data-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { fromGo } from '../support/registries.ts';
import { Resources } from '../support/resources.ts';
import { serveHere } from '../support/server.ts';
import { skipWhere } from '../support/skip.ts';
import { until } from '../support/until.ts';

const VERSION = 'v2.10.1';
const pebble = suite('pebble');
const { folder: programs, obstacle } = fromGo(
  `github.com/letsencrypt/pebble/v2/cmd/pebble@${VERSION}`,
  `github.com/letsencrypt/pebble/v2/cmd/pebble-challtestsrv@${VERSION}`,
);
const withPebble = skipWhere(obstacle, pebble);

withPebble(
  'A server gets its certificate of Pebble, knows when to renew it, and renews it as its successor',
  async () => {
    await using opened = new Resources();
    const { ca, directory, port, caFile } = await startPebble(opened);
    const dataDir = dataFolder();
    const server = await serveHere(opened, {
      PUSHCTL_DATA_DIR: dataDir,
      PUSHCTL_LISTEN: `127.0.0.1:${port}`,
      PUSHCTL_DELIVERY_THREADS: '1',
      PUSHCTL_TLS_ACME_DOMAINS: 'push.test.dev,hooks.test.dev',
      PUSHCTL_TLS_ACME_CONTACT: 'ops@test.dev',
      PUSHCTL_TLS_ACME_DIRECTORY: directory,
      PUSHCTL_TLS_ACME_CA_FILE: caFile,
    });
    const folder = new TlsFolder(dataDir);
    await until('that it knows when to renew', () => (folder.state()?.renewal ?? null) !== null);
    const pair = String(folder.pair());
    assert.is(whyUnusable(pair, ['push.test.dev', 'hooks.test.dev']), null);
    assert.match(await shownAt(server.url), 'push.test.dev');
    const { window } = await askRenewalInfo(directory, pair, ca);
    assert.ok(window !== null && window.startMs > Date.now());
    await server.stop();

    const successor = await order(
      {
        settings: { domains: ['push.test.dev', 'hooks.test.dev'], contact: null, directory },
        ca,
        accountKey: String(folder.accountKey()),
        replaces: certificateId(pair),
        challenges: ['tls-alpn-01'],
        pollMs: 100,
      },
      async () => {},
    );
    // Nothing had to be proved again.
    assert.is(successor.problem, null);
    assert.is(whyUnusable(String(successor.pair), ['push.test.dev', 'hooks.test.dev']), null);
  },
);

withPebble('A port that is closed, and a name that is not in the DNS, are reported in its words', async () => {
  await using opened = new Resources();
  const { ca, directory, port, forget } = await startPebble(opened);
  const answers = new ChallengeAnswers();
  const job = {
    settings: { domains: ['push.test.dev'], contact: null, directory },
    ca,
    accountKey: makeAccountKey(),
    replaces: null,
    challenges: ['tls-alpn-01'],
    pollMs: 100,
  } as const;
  const closed = await order(job, async (challenge) => answers.show(challenge));
  // Not as Let's Encrypt, whose word is "connection".
  assert.is(closed.problem?.type, 'unauthorized');
  assert.match(String(closed.problem?.sentence), `Failed to connect to 127.0.0.1:${port}`);
  await forget('push.test.dev');
  const unknown = await order(job, async (challenge) => answers.show(challenge));
  assert.match(String(unknown.problem?.sentence), 'Could not resolve URL "push.test.dev"');
});

pebble.run();

/** It looks at `port` of this machine, and has names of its own for it. */
async function startPebble(opened: Resources) {
  const [port, own, management, dns, names] = await Promise.all(Array.from({ length: 5 }, freePort));
  const folder = temporaryFolder();
  const { authority, tls } = await makeIdentity();
  const files = { ca: join(folder, 'ca.pem'), cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  writeFileSync(files.ca, authority.certPem);
  writeFileSync(files.cert, tls.cert);
  writeFileSync(files.key, tls.key);
  const config = join(folder, 'pebble.json');
  const settings = {
    listenAddress: `127.0.0.1:${own}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: files.cert,
    privateKey: files.key,
    httpPort: await freePort(),
    tlsPort: port,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
    keyAlgorithm: 'ecdsa',
    profiles: { default: { description: 'as ever', validityPeriod: 7_776_000 } },
  };
  writeFileSync(config, JSON.stringify({ pebble: settings }));
  const off = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-doh', ''];
  const env = { PATH: String(process.env.PATH), PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '100' };
  const start = (name: string, args: readonly string[]): void => {
    const running = new RunningCli(spawn(join(programs, 'bin', name), [...args], { env, stdio: 'pipe' }));
    opened.onEnd(() => running.stop('SIGKILL'));
  };
  const managed = ['-dnsserver', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${names}`, '-defaultIPv6', ''];
  start('pebble-challtestsrv', [...managed, ...off]);
  start('pebble', ['-strict', '-config', config, '-dnsserver', `127.0.0.1:${dns}`]);
  const directory = `https://localhost:${own}/dir`;
  const isThere = (url: string): Promise<boolean> =>
    fetch(url).then(
      () => true,
      ({ cause }) => cause?.code !== 'ECONNREFUSED',
    );
  await until('Pebble and its names', async () => (await isThere(directory)) && isThere(`http://127.0.0.1:${names}`));
  return {
    ca: authority.certPem,
    caFile: files.ca,
    directory,
    port,
    async forget(host: string) {
      const asked = { method: 'POST', body: JSON.stringify({ host }) };
      await fetch(`http://127.0.0.1:${names}/set-servfail`, asked);
    },
  };
}

function shownAt(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(url);
    const options = { host: '127.0.0.1', port: Number(port), servername: 'push.test.dev', rejectUnauthorized: false };
    const socket = connect(options, () => {
      resolve(socket.getPeerX509Certificate()?.subjectAltName ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
