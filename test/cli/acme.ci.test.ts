import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { FakeCa } from '../support/acme-ca.ts';
import { Cli } from '../support/cli.ts';
import { descriptorOf, listening, withDescriptors } from '../support/held-socket.ts';
import { Resources } from '../support/resources.ts';
import { untilIs } from '../support/until.ts';

const LOOPBACK = { host: '127.0.0.1', port: 0 };

test('If systemd holds port 80, names are proved there, and status has the certificate', async () => {
  await using opened = new Resources();
  const ca = opened.add(await FakeCa.start());
  const acme = ['domains = ["push.example.com"]', `directory = "${ca.directory}"`, `ca_file = "${ca.caFile}"`];
  const cli = new Cli(`[tls.acme]\n${acme.join('\n')}`);
  const [https, http] = await Promise.all([listening(LOOPBACK), listening(LOOPBACK)]);
  const port = portOf(https);
  ca.challenges = ['http-01'];
  ca.port = portOf(http);
  const env = { PUSHCTL_DATA_DIR: cli.dataDir, PUSHCTL_CONFIG: `${cli.folder}/pushctl.toml` };
  const serve = withDescriptors([packagePath('bin', 'pushctl'), 'serve'], 'https:http', env);
  const server = serve([descriptorOf(https), descriptorOf(http)]);
  opened.onEnd(() => server.kill('SIGKILL'));
  https.close();
  http.close();
  await untilIs('the certificate', () => shownAt(port), 'DNS:push.example.com');
  assert.is(ca.orders.length, 1);
  assert.equal(ca.wrongs, []);
  assert.match((await cli.run(['status'])).stdout, /certificate +DNS:push\.example\.com, until .* \(89 days\)/);
  server.kill('SIGTERM');
  assert.equal(await once(server, 'exit'), [0, null]);
});

test.run();

function portOf(server: Awaited<ReturnType<typeof listening>>): number {
  return (server.address() as AddressInfo).port;
}

/** The names in the certificate that is served; null: none is yet, or it is the server's own. */
async function shownAt(port: number): Promise<string | null> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect');
    const shown = socket.getPeerX509Certificate();
    return shown?.issuer === shown?.subject ? null : (shown?.subjectAltName ?? null);
  } catch {
    return null;
  } finally {
    socket.destroy();
  }
}
