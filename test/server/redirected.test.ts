/** No answer leads what the server sends, or its secrets, to another address. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { Agent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask as askAuthority } from '../../src/acme/requests.ts';
import { postEvent } from '../../src/cli/posting.ts';
import { newWebhookSecret } from '../../src/contract/webhooks.ts';
import { OidcProvider } from '../../src/oidc/provider.ts';
import { systemClock } from '../../src/process/clock.ts';
import { ask, post } from '../../src/providers/https.ts';
import { postMessage } from '../../src/server/webhooks/post.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';
import { aReceiver } from '../support/webhook-receiver.ts';

const test = suite('answers that lead elsewhere');
const STATUSES = [301, 302, 303, 307, 308];
const ELSEWHERE = '/elsewhere';
const METHOD = { method: 'POST', body: 'a secret', headers: { authorization: 'Bearer a secret' } } as const;

for (const status of STATUSES) {
  const lead = (response: ServerResponse) => response.writeHead(status, { location: ELSEWHERE }).end('{}');

  test(`A ${status} is the answer to a webhook, a push, a question to a provider and an order of a certificate`, async () => {
    await using opened = new Resources();
    const receiver = opened.add(await aReceiver());
    receiver.answer = lead;
    const { url, ca } = receiver;
    const message = {
      ...{
        messageId: 1,
        webhookId: 'whk_7m3q0f9t2xkd4w6z',
        lease: 1,
        id: 'msg_x',
        secrets: [newWebhookSecret(randomBytes)],
      },
      ...{ url, kind: 'alert.opened', at: 0, workspace: 'acme' },
      data: JSON.stringify({ id: '00000000000000000000000000000027', opened_at: 7, ended_at: null }),
    } as const;
    const signal = new AbortController().signal;
    const sent = await postMessage(message, { allowPrivate: true, ca, signal, nowMs: Date.now });
    assert.equal(sent, { kind: 'failed', reason: `http_${status}` });
    const agent = new Agent({ ca });
    const { headers } = METHOD;
    assert.is((await post(new URL(url), { headers, body: Buffer.from('a secret'), agent })).status, status);
    assert.is((await ask(url, { ...METHOD, ca })).status, status);
    assert.is((await askAuthority(url, { ...METHOD, ca })).status, status);
    assert.equal(
      receiver.received.map(({ path }) => path),
      ['/in', '/in', '/in', '/in'],
    );
    agent.destroy();
  });

  test(`A ${status} takes neither an event with its API key elsewhere nor the secret and code of a sign-in`, async () => {
    await using opened = new Resources();
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url?.startsWith('/.well-known/'))
        response.setHeader('content-type', 'application/json').end(metadata);
      else lead(response);
    }).listen(0, '127.0.0.1');
    opened.onEnd(async () => {
      server.closeAllConnections();
      server.close();
    });
    await once(server, 'listening');
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const metadata = JSON.stringify({
      issuer,
      authorization_endpoint: `${issuer}/in`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
    });
    assert.match(
      JSON.stringify(await postEvent(new URL(`${issuer}/in`), 'a secret', { title: 'a secret' })),
      'no answer from',
    );
    const secretPath = join(temporaryFolder(), 'secret');
    writeFileSync(secretPath, 'a secret');
    const settings = {
      issuer,
      clientId: 'pushctl',
      clientSecretFile: secretPath,
      scopes: ['openid'],
      trustEmail: false,
    };
    const redirectUri = 'https://push.example.com/callback';
    const provider = new OidcProvider({
      settings: { ...settings, name: 'Example', only: false },
      ...{ redirectUri, secretPath: () => secretPath, clock: systemClock() },
    });
    const { trip } = await provider.begin(false);
    const came = await provider.finish(`?code=x&state=${trip.state}`, trip).catch((error) => error);
    assert.instance(came, Error);
    assert.equal(asked, ['/in', '/.well-known/openid-configuration', '/token']);
  });
}

test.run();
