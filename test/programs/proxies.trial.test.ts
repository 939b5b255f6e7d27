import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeAuthority, makeServerCertificate } from '../../src/sandbox/credentials.ts';
import { ADA } from '../support/cast.ts';
import { freePort } from '../support/free-port.ts';
import { fetchReply } from '../support/http.ts';
import { Resources } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { signIn } from '../support/sign-in.ts';
import { skipWhere } from '../support/skip.ts';
import { openStream } from '../support/stream.ts';
import { until } from '../support/until.ts';
import { valuesOf } from '../support/values-of.ts';
import { PROXIES, proxyObstacle, startProxy } from './proxy.ts';

const proxies = suite('proxies');
const CLIENT = '127.0.0.79';

for (const name of PROXIES) {
  const withProxy = skipWhere(proxyObstacle(name), proxies);

  withProxy(
    `The app, posts of any size and the live stream pass ${name}, and the server learns who the client is`,
    async () => {
      await using opened = new Resources();
      const [port, plainPort] = [await freePort(), await freePort()];
      const authority = await makeAuthority(Date.now());
      const url = `https://127.0.0.1:${port}`;
      const log: string[] = [];
      const { server, team } = await startTestServer(opened, {
        env: { PUSHCTL_BASE_URL: `${url}/api`, PUSHCTL_PROXY_TRUSTED: '127.0.0.1' },
        log: (line) => log.push(line),
      });
      const pair = await makeServerCertificate(authority, Date.now());
      startProxy(opened, name, { port, plainPort, upstream: new URL(server.url).host, pair });
      const client = { ca: authority.certPem, localAddress: CLIENT };
      const ask = (path: string, options = {}) => fetchReply(url, path, { ...client, ...options });
      await until(`${name} answers`, () =>
        ask('/healthz').then(
          ({ status }) => status === 200 || status,
          (error) => error,
        ),
      );

      const page = await ask('/', { method: 'HEAD' });
      assert.equal([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8']);
      assert.is(page.headers['strict-transport-security'], 'max-age=15552000');
      const post = (bytes: number) =>
        ask('/api/v1/events', {
          method: 'POST',
          key: team.key,
          // Blanks between the fields.
          body: `{"channel": "alerts",${' '.repeat(bytes)} "title": "Disk full"}`,
        });
      assert.equal([(await post(60_000)).status, (await post(70_000)).status], [202, 413]);
      const report = 'Disk full\n'.padEnd(4_194_304, 'x');
      const taken = await ask('/senders/ntfy/alerts', { method: 'POST', key: team.key, body: report });
      assert.is(taken.status, 200);

      const session = await signIn({ http: { url: server.url }, store: team.store }, ADA);
      const stream = await openStream(url, { ...client, key: session });
      opened.onEnd(() => stream.close());
      assert.is(stream.status, 200);
      await team.post();
      await stream.hears('events', 'acme');

      const forged = { 'X-Forwarded-For': '203.0.113.9' };
      assert.is((await ask('/api/v1/events', { key: `${team.key}x`, headers: forged })).status, 401);
      const refused = log.map((line) => JSON.parse(line)).filter((line) => line.refused !== undefined);
      assert.equal(valuesOf(refused, 'refused', 'address'), [`key ${CLIENT}`]);
    },
  );
}

const withCaddy = skipWhere(proxyObstacle('caddy'), proxies);

withCaddy('Caddy sends people on from port 80, and refuses programs', async () => {
  await using opened = new Resources();
  const [port, plainPort] = [await freePort(), await freePort()];
  const pair = await makeServerCertificate(await makeAuthority(Date.now()), Date.now());
  startProxy(opened, 'caddy', { port, plainPort, upstream: '127.0.0.1:1', pair });
  const url = `http://127.0.0.1:${plainPort}`;
  const ask = async (path: string, options: RequestInit = {}) => {
    const { status, headers } = await fetch(url + path, { ...options, redirect: 'manual' });
    return { status, location: headers.get('location') };
  };
  await until('it listens', () => ask('/inbox').then(({ status }) => status === 302, String));
  assert.is((await ask('/inbox?level=error')).location, 'https://push.example.com/inbox?level=error');
  for (const path of ['/api', '/api/v1/usage', '//api/v1/usage', '/API/v1/usage', '/senders/slack/x', '/ping/x/fail']) {
    assert.equal(await ask(path), { status: 403, location: null }, path);
  }
  assert.is((await ask('/inbox', { headers: { Authorization: 'Bearer x' } })).status, 403);
  assert.is((await ask('/inbox', { method: 'POST' })).status, 403);
});

proxies.run();
