/** Peers that pushctl asks, and that answer without end: each of its clients hangs up on them. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ask as askAuthority } from '../../src/acme/requests.ts';
import { postEvent } from '../../src/cli/posting.ts';
import { newWebhookSecret } from '../../src/contract/webhooks.ts';
import { certificateAt } from '../../src/host/doctor/certificates.ts';
import { OidcProvider } from '../../src/oidc/provider.ts';
import { systemClock } from '../../src/process/clock.ts';
import { ask as askProvider } from '../../src/providers/https.ts';
import { makeServerCertificate } from '../../src/sandbox/credentials.ts';
import { SignOfLife } from '../../src/server/sign-of-life.ts';
import { postMessage } from '../../src/server/webhooks/post.ts';
import { anEndlessPeer, type EndlessPeer, type EndlessWay, FLOOD_BYTES } from '../support/endless-peer.ts';
import { temporaryFolder } from '../support/folder.ts';
import { TEST_DEADLINE_MS, withProvider } from '../support/providers.ts';
import { Resources } from '../support/resources.ts';
import { sandboxAuthority } from '../support/sandbox.ts';
import { untilIs } from '../support/until.ts';

const FLOODS = ['headers', 'interim responses', 'a body'] as const;
const SLOW = ['headers, a byte at a time', 'a body, a byte at a time'] as const;
/** Limits for a connection and the beginning of a response. */
const SOON_MS = 3_000;
/** No flood takes so long. */
const PATIENT_MS = 60_000;

/** Asks a peer once. What comes of it is each client's own. */
type Client = (peer: EndlessPeer, withinMs: number) => Promise<unknown>;

/** Those whose time a test can shorten are asked by slow peers, too. */
const IMPATIENT: Readonly<Record<string, Client>> = {
  'a webhook': ({ url, ca }, withinMs) =>
    postMessage(
      {
        messageId: 1,
        webhookId: 'whk_7m3q0f9t2xkd4w6z',
        lease: 1,
        id: 'msg_x',
        url,
        secrets: [newWebhookSecret(randomBytes)],
        kind: 'alert.opened',
        at: 0,
        workspace: 'acme',
        data: '{}',
      },
      { allowPrivate: true, ca, signal: new AbortController().signal, nowMs: Date.now, withinMs },
    ),
  'the watchdog': async ({ url }, withinMs) => {
    const done = Promise.withResolvers<void>();
    const after = () => {
      done.resolve();
      return () => {};
    };
    const log = pino({ level: 'silent' });
    const findings = { stopping: async () => null };
    const life = new SignOfLife({ url, everyMs: 60_000, findings, after, log, withinMs });
    life.start();
    await done.promise;
    life.stop();
  },
};
const PATIENT: Readonly<Record<string, Client>> = {
  'a certificate authority': ({ url, ca }) => askAuthority(url, { method: 'GET', ca }),
  'a probe of a provider': ({ url, ca }) => askProvider(url, { method: 'GET', ca }),
  'the provider that people sign in by': async ({ url }) => {
    const clientSecretFile = join(temporaryFolder(), 'secret');
    writeFileSync(clientSecretFile, 'a secret');
    const provider = new OidcProvider({
      settings: { issuer: url, clientId: 'x', clientSecretFile, scopes: [], trustEmail: false, name: 'x', only: false },
      redirectUri: 'https://push.example.com/callback',
      secretPath: () => clientSecretFile,
      clock: systemClock(),
    });
    assert.match((await provider.examine())?.message ?? '', 'cannot be reached: ');
  },
  'pushctl send': async ({ url }) => {
    const answer = await postEvent(new URL(url), 'pctl_x', { title: 'x' });
    assert.ok('unanswered' in answer);
  },
};
/** Without TLS: their certificates cannot be named, or need none. */
const PLAIN = ['the watchdog', 'the provider that people sign in by', 'pushctl send'];

async function attack(opened: Resources, client: Client, way: EndlessWay, scheme: 'http' | 'https'): Promise<void> {
  const peer = await anEndlessPeer(opened, scheme);
  peer.answer = way;
  await client(peer, SLOW.some((slow) => slow === way) ? SOON_MS : PATIENT_MS).catch(() => {});
  await untilIs('the connection to have ended', () => peer.open, 0);
  assert.ok(peer.sentBytes > 0 && peer.sentBytes < FLOOD_BYTES, `${peer.sentBytes} bytes were read`);
}

for (const [name, client] of Object.entries({ ...IMPATIENT, ...PATIENT })) {
  test(`${name} that answers without end is hung up on`, async () => {
    await using opened = new Resources();
    for (const way of [...FLOODS, ...(name in IMPATIENT ? SLOW : [])])
      await attack(opened, client, way, PLAIN.includes(name) ? 'http' : 'https');
  });
}

for (const route of ['fcm', 'webpush_mozilla'] as const) {
  test(`${route}: answers without end end with their connection, and the pushes are tried again`, async () => {
    await using opened = new Resources();
    const peer = await anEndlessPeer(opened);
    await withProvider(
      route,
      async ({ send, token }) => {
        for (const way of [...FLOODS, ...SLOW]) {
          peer.answer = way;
          const [outcome] = await send([token()]);
          // The status of a push service says all, once it has come.
          const isTaken = route === 'webpush_mozilla' && way.startsWith('a body');
          assert.is(outcome?.kind, isTaken ? 'accepted' : 'deferred', `${way}: ${JSON.stringify(outcome)}`);
          await untilIs('the connection to have ended', () => peer.open, 0);
        }
        assert.ok(peer.sentBytes < FLOOD_BYTES, `${peer.sentBytes} bytes were read`);
      },
      {
        deadlineMs: TEST_DEADLINE_MS,
        settings: ({ fcm, webpush }) => ({
          fcm: { ...fcm, endpoint: peer.url, ca: peer.ca },
          webpush: {
            ...webpush,
            endpoints: Object.fromEntries(Object.keys(webpush.endpoints).map((origin) => [origin, peer.url])),
            ca: peer.ca,
          },
        }),
      },
    );
  });
}

const HTTP2_WAYS: Readonly<Record<string, (stream: ServerHttp2Stream) => void>> = {
  'interim responses': (stream) => {
    const timer = setInterval(() => {
      for (let count = 0; count < 100 && !stream.destroyed; count += 1) stream.additionalHeaders({ ':status': 102 });
    }, 1);
    stream.once('close', () => clearInterval(timer));
  },
  'a body': (stream) => {
    stream.respond({ ':status': 200 });
    const more = () => {
      while (!stream.destroyed && stream.write(' '.repeat(16_384)));
    };
    stream.on('drain', more);
    more();
  },
  'a body, a byte at a time': (stream) => {
    stream.respond({ ':status': 200 });
    const timer = setInterval(() => stream.write(' '), 20);
    stream.once('close', () => clearInterval(timer));
  },
};

test('apns: answers without end end with their streams', async () => {
  await using opened = new Resources();
  const authority = await sandboxAuthority();
  const server = createSecureServer(await makeServerCertificate(authority, Date.now()));
  let way = '';
  let open = 0;
  server.on('sessionError', () => {});
  server.on('stream', (stream: ServerHttp2Stream) => {
    open += 1;
    stream.on('error', () => {});
    stream.once('close', () => {
      open -= 1;
    });
    HTTP2_WAYS[way]?.(stream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.onEnd(() => void server.close());
  const endpointProduction = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await withProvider(
    'apns_production',
    async ({ send, token }) => {
      for (way of Object.keys(HTTP2_WAYS)) {
        // Others are answered meanwhile, so the connection stays.
        const [outcome] = await send([token()]);
        assert.is(outcome?.kind, 'deferred', way);
        await untilIs('the stream to have ended', () => open, 0);
      }
    },
    {
      deadlineMs: TEST_DEADLINE_MS,
      settings: ({ apns }) => ({ apns: { ...apns, endpointProduction, ca: authority.certPem } }),
    },
  );
});

test('a handshake without end does not keep `doctor` waiting', async () => {
  await using opened = new Resources();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    // A handshake record of 16 KiB, a byte at a time.
    socket.write(Buffer.from('1603030fff0200ffff', 'hex'));
    const timer = setInterval(() => socket.write(Buffer.of(0)), 100);
    socket.once('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.onEnd(() => void server.close());
  assert.is(await certificateAt(`https://127.0.0.1:${(server.address() as AddressInfo).port}`), null);
});

test.run();
