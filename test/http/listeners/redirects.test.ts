import { once } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { descriptorOf, HELD_SERVER, listening, withDescriptors } from '../../support/held-socket.ts';
import { exchangeBytes } from '../../support/http.ts';
import { redirecting } from '../../support/redirecting.ts';
import { Resources } from '../../support/resources.ts';

const KEY = 'Authorization: Bearer pctl_x\r\n';

test('A browser is sent on to the configured address from any host', async () => {
  await using opened = new Resources();
  const url = await redirecting(opened);
  assert.match(await ask(url, 'GET /inbox?level=error'), redirect('https://push.example.com/inbox?level=error'));
  assert.match(await ask(url, 'HEAD /'), redirect('https://push.example.com/'));
  assert.match(
    await ask(url, 'GET //evil.example', 'evil.example'),
    redirect('https://push.example.com//evil.example'),
  );
});

test('Without a configured address it is sent on to the host that it asked for, on the port of the server', async () => {
  await using opened = new Resources();
  const url = await redirecting(opened, { baseUrl: null, tls: {}, listen: { host: '::', port: 8443 } });
  assert.match(await ask(url, 'GET /', 'push.example.com:8080'), redirect('https://push.example.com:8443/'));
  assert.match(await ask(url, 'GET /', '[2001:db8::7]'), redirect('https://[2001:db8::7]:8443/'));
  for (const host of ['', 'a b', 'evil.example/', 'user@evil.example']) {
    assert.match(await ask(url, 'GET /', host), /^HTTP\/1\.1 400 /, host);
  }
});

/** Addresses on which a program may show its key, in each spelling that leads there once it is sent on. */
const OF_PROGRAMS = [
  ...['/api', '/api/v1/usage', '/api?x', '/senders/slack/x', '/senders', '/ping/x', '/ping/x/fail', '/ping?create=1'],
  ...['//api/v1/usage', '/./senders/slack/x', '/inbox/../ping/x', '/%61pi/v1/usage', '/API/v1/usage', '/%2Fping/x'],
];

test('No request of a program is sent on, by any method: the refusal names the right address', async () => {
  await using opened = new Resources();
  const url = await redirecting(opened);
  const lines = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].flatMap((method) =>
    OF_PROGRAMS.map((path) => ({ line: `${method} ${path}` })),
  );
  for (const { line, host = 'x', headers = '' } of [
    ...lines,
    { line: 'GET /alerts/publish?message=x', host: 'ntfy.example.com' },
    { line: 'GET /alerts/publish?message=x', host: 'NTFY.example.com.:80' },
    { line: 'GET /alerts/publish?auth=pctl_x' },
    { line: 'POST /inbox' },
    { line: 'GET /inbox', headers: KEY },
  ] as readonly { line: string; host?: string; headers?: string }[]) {
    const answer = await ask(url, line, host, headers);
    assert.match(answer, /^HTTP\/1\.1 403 /, line);
    assert.not.match(answer, 'Location', line);
    if (line.startsWith('HEAD')) continue;
    assert.match(answer, '"code":"https_required"', line);
    assert.match(answer, 'Replace it. Use https://push.example.com."', line);
  }
});

test('A path with a text of its own is answered in place of a redirect', async () => {
  await using opened = new Resources();
  const answer = await ask(await redirecting(opened), 'GET /.well-known/acme-challenge/token');
  assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*\r\n\r\ntoken\.thumbprint$/);
});

test('If there is no HTTPS to redirect to, it does not start', async () => {
  await using opened = new Resources();
  const server = await listening({ host: '127.0.0.1', port: 0 });
  opened.onEnd(() => server.close());
  const child = withDescriptors([process.execPath, HELD_SERVER, '{"baseUrl":null}'], 'http')([descriptorOf(server)]);
  const [output] = await once(child.stdout, 'data');
  assert.match(String(output), 'pushctl-http.socket redirects to HTTPS, but the server has no HTTPS: set [tls], or');
  assert.is((await once(child, 'exit'))[0], 2);
});

test.run();

function ask(url: string, line: string, host = 'x', headers = ''): Promise<string> {
  return exchangeBytes(url, `${line} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`);
}

function redirect(to: string): RegExp {
  return new RegExp(`^HTTP/1\\.1 308 [^]*\\r\\nLocation: ${to.replaceAll(/[[\]?.]/g, '\\$&')}\\r\\n`);
}
