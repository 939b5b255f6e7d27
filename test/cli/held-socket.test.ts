import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { Cli } from '../support/cli.ts';
import { descriptorOf, listening, withDescriptors } from '../support/held-socket.ts';
import { plainRequest } from '../support/plain-request.ts';
import { Resources } from '../support/resources.ts';

const PRELOADED = `--import=${new URL('../support/endless-grace.js', import.meta.url)}`;

test('A server whose socket is held answers a client that has connected, and not asked yet, as it stops', async () => {
  await using opened = new Resources();
  const cli = new Cli('listen = "127.0.0.1:0"');
  const held = await listening({ host: '127.0.0.1', port: 0 });
  const { port } = held.address() as AddressInfo;
  const env = {
    PUSHCTL_DATA_DIR: cli.dataDir,
    PUSHCTL_CONFIG: `${cli.folder}/pushctl.toml`,
    NODE_OPTIONS: PRELOADED,
  };
  const server = withDescriptors([packagePath('bin', 'pushctl'), 'serve'], 'https', env)([descriptorOf(held)]);
  opened.onEnd(() => server.kill('SIGKILL'));
  const readLine = saying(server.stdout);
  assert.match(await readLine(/"msg":"listening"/), `"url":"http://127.0.0.1:${port}","socket":"pushctl.socket"`);
  held.close();
  assert.match((await cli.run(['status'])).stdout, `on http://127.0.0.1:${port}, which systemd holds (pushctl.socket)`);

  const client = connect(port, '127.0.0.1');
  await once(client, 'connect');
  // The server has taken the connection once it has answered on a later one.
  assert.is((await plainRequest(`http://127.0.0.1:${port}/healthz`)).status, 200);
  server.kill('SIGTERM');
  await readLine(/"msg":"stopping"/);
  client.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  const [answer, ended] = await Promise.all([text(client), once(server, 'exit')]);
  assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/);
  assert.equal(ended, [0, null]);
});

test.run();

/** Resolves with all that was said, once that is in it. */
function saying(stdout: NodeJS.ReadableStream): (what: RegExp) => Promise<string> {
  let so = '';
  stdout.setEncoding('utf8').on('data', (chunk: string) => {
    so += chunk;
  });
  return async (what) => {
    while (!what.test(so)) await once(stdout, 'data');
    return so;
  };
}
