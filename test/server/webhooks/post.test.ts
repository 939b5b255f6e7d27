import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Webhook } from 'standardwebhooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isPublic, webhookPlaceProblem } from '../../../src/contract/webhook-addresses.ts';
import { newWebhookSecret, webhookSignature } from '../../../src/contract/webhooks.ts';
import { type PostOptions, postMessage } from '../../../src/server/webhooks/post.ts';
import type { WebhookMessage } from '../../../src/store/calls.ts';
import { Resources } from '../../support/resources.ts';
import { aReceiver, type Receiver } from '../../support/webhook-receiver.ts';

const test = suite('sending to a webhook');
const SECRET = newWebhookSecret(randomBytes);
const OTHER = newWebhookSecret(randomBytes);
const UNREACHABLE = { kind: 'failed', reason: 'unreachable' };
const PRIVATE = { ...UNREACHABLE, cause: 'private_address' };
const MAX_FLOOD = 64 * 1024 * 1024;

test('a receiver verifies a message by the library of Standard Webhooks, by either secret while one is rotated', () =>
  withReceiver(async ({ receiver, post }) => {
    assert.equal(await post({ secrets: [OTHER, SECRET] }), { kind: 'taken' });
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    for (const secret of [SECRET, OTHER]) {
      const verified = new Webhook(secret).verify(body, given) as Record<string, unknown>;
      assert.equal(verified, {
        type: 'alert.opened',
        timestamp: '2026-11-21T09:30:00.123+00:00',
        data: {
          workspace: 'acme',
          id: 'evt_00000000000000000000000017',
          opened_at: '1970-01-01T00:00:00.007+00:00',
          ended_at: null,
        },
      });
    }
    assert.throws(() => new Webhook(newWebhookSecret(randomBytes)).verify(body, given));
    assert.throws(() => new Webhook(SECRET).verify(`${body} `, given));
    assert.is(given['content-type'], 'application/json');
    assert.match(webhookSignature([SECRET, OTHER], 'msg_x', 1, '{}'), /^v1,\S{44} v1,\S{44}$/);
  }));

test('any 2xx is taken, 410 ends an endpoint, all else has failed, redirects as well', () =>
  withReceiver(async ({ receiver, post }) => {
    const answers = async (status: number, headers = {}) => {
      receiver.answer = (response) => response.writeHead(status, headers).end('a body');
      return post();
    };
    assert.equal(await answers(200), { kind: 'taken' });
    assert.equal(await answers(410), { kind: 'gone' });
    assert.equal(await answers(500), { kind: 'failed', reason: 'http_500' });
    const redirected = await answers(302, { location: 'https://169.254.169.254/latest/meta-data/' });
    assert.equal(redirected, { kind: 'failed', reason: 'http_302' });
    assert.is(receiver.received.length, 4, 'none was followed');
  }));

test('the status of an answer counts, with any body behind it or none', () =>
  withReceiver(async ({ receiver, post }) => {
    let written = 0;
    receiver.answer = (response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) written += 65_536;
      };
      response.on('drain', more);
      more();
    };
    assert.equal(await post(), { kind: 'taken' });
    assert.ok(written < 64 * 1024 * 1024, 'it was not read');
    receiver.answer = (response) => response.writeHead(204, { connection: 'keep-alive' }).flushHeaders();
    assert.equal(await post(), { kind: 'taken' });
  }));

test('one that sends interim responses without end is hung up on after some of them', () =>
  withReceiver(async ({ receiver, post }) => {
    const flood = 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1_000);
    let written = 0;
    receiver.answer = ({ socket }) => {
      const more = () => {
        while (written < MAX_FLOOD && socket?.writable && socket.write(flood)) written += flood.length;
        if (written >= MAX_FLOOD) socket?.end('HTTP/1.1 204 No Content\r\n\r\n');
      };
      socket?.on('drain', more).on('error', () => {});
      more();
    };
    assert.equal(await post(), { kind: 'failed', reason: 'EMSGSIZE' });
    assert.ok(written < MAX_FLOOD, 'it was read to its end');
    receiver.answer = (response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.writeHead(204).end();
    };
    assert.equal(await post(), { kind: 'taken' });
  }));

test('one that hangs or resets fails, within the time that a try has', () =>
  withReceiver(async ({ receiver, post }) => {
    receiver.answer = () => {};
    assert.equal(await post({}, { withinMs: 500 }), { kind: 'failed', reason: 'timeout' });
    receiver.answer = (response) => response.destroy();
    assert.equal(await post(), { kind: 'failed', reason: 'ECONNRESET' });
    receiver.answer = (response) => {
      response.writeHead(200, Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`x-${n}`, 'y'.repeat(1_000)])));
      response.end();
    };
    assert.equal(await post(), { kind: 'failed', reason: 'HPE_HEADER_OVERFLOW' });
  }));

test('all failures to connect are one to the workspace, and the operator gets the cause', () =>
  withReceiver(async ({ post }) => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as { port: number };
    closed.close();
    await once(closed, 'close');
    const plain = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')).listen(0, '127.0.0.1');
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await using opened = new Resources();
    for (const server of [plain, silent]) opened.onEnd(() => server.close());
    await Promise.all([once(plain, 'listening'), once(silent, 'listening')]);
    const urlOf = (server: Server) => `https://127.0.0.1:${(server.address() as { port: number }).port}/`;
    const causes: unknown[] = [];
    for (const [message, options] of [
      [{ url: `https://127.0.0.1:${port}/` }, {}],
      [{ url: urlOf(plain) }, {}],
      [{ url: urlOf(silent) }, { withinMs: 500 }],
      [{}, { ca: null }],
      [{ url: 'https://127.0.0.1/' }, { allowPrivate: false }],
      [{ url: 'https://hooks.example.com/' }, { resolve: async () => [] }],
      [{ url: 'https://hooks.example.com/' }, { resolve: () => new Promise<never>(() => {}), withinMs: 500 }],
    ] as const) {
      const { cause, ...outcome } = await post(message, options);
      assert.equal(outcome, UNREACHABLE);
      causes.push(cause);
    }
    const [refused, notTls, silence, untrusted, ...others] = causes;
    assert.equal([refused, silence], ['ECONNREFUSED', 'timeout']);
    assert.equal(others, ['private_address', 'ENOTFOUND', 'timeout']);
    assert.match(String(notTls), /SSL|EPROTO|ECONNRESET/);
    assert.match(String(untrusted), /CERT|SIGNATURE/);
  }));

const LITERALS = [
  '127.0.0.1',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '2130706433',
  '0x7f.1',
  '017700000001',
  '127.1',
  '[::1]',
  '[::]',
  '0.0.0.0',
];
const OTHERS = [
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '[64:ff9b::7f00:1]',
  '[::7f00:1]',
];

test('no address of this machine or a private network is connected to, in any spelling', () =>
  withReceiver(async ({ receiver, post }) => {
    for (const literal of [...LITERALS, ...OTHERS]) {
      const url = `https://${literal}:${receiver.port}/`;
      assert.ok(webhookPlaceProblem(url), literal);
      assert.equal(await post({ url }, { allowPrivate: false }), PRIVATE, literal);
    }
    assert.is(receiver.received.length, 0);
    assert.is(webhookPlaceProblem('https://93.184.215.14/'), null);
    assert.is(webhookPlaceProblem('https://[2606:2800:21f:cb07::1]/'), null);
    assert.is(webhookPlaceProblem('https://hooks.example.com/'), null);
    assert.ok(isPublic('8.8.8.8'));
  }));

test('without the operator’s leave, no address of an interface of this machine is connected to, public ones included', () =>
  withReceiver(async ({ receiver, post }) => {
    const [four, six] = ['93.184.215.14', '2606:2800:21f:cb07::1'];
    for (const [address, family, literal] of [
      [four, 4, four],
      [six, 6, `[${six.toUpperCase()}]`],
    ] as const) {
      const options = { allowPrivate: false, own: [four, six], resolve: async () => [{ address, family }] };
      assert.equal(await post({ url: `https://${literal}:${receiver.port}/` }, options), PRIVATE);
      assert.equal(await post({ url: `https://hooks.example.com:${receiver.port}/` }, options), PRIVATE);
      assert.ok(isPublic(address, []));
    }
    const here = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    assert.ok(here.length > 0);
    for (const { address } of here) assert.not.ok(isPublic(address), address);
  }));

test('only global unicast is public in IPv6, even if other addresses are assigned one day', () => {
  for (const address of [
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '4000::1',
    '1fff::1',
    'fd00::1',
    '2002:808:808::1',
    '2001:0:808:808::1',
  ]) {
    assert.not.ok(isPublic(address, []), address);
  }
  for (const address of ['2000::1', '2a00:1450:4001::1', '3ffe::1']) assert.ok(isPublic(address, []), address);
});

test('a public name that is given a private address leads nowhere, at whichever look', () =>
  withReceiver(async ({ receiver, post }) => {
    const url = `https://hooks.example.com:${receiver.port}/`;
    const looks = { n: 0 };
    const private_ = { address: '127.0.0.1', family: 4 };
    const resolve = async () => {
      looks.n += 1;
      return [private_];
    };
    assert.equal(await post({ url }, { allowPrivate: false, resolve }), PRIVATE);
    const mapped = async () => [{ address: '::ffff:127.0.0.1', family: 6 }];
    assert.equal(await post({ url }, { allowPrivate: false, resolve: mapped }), PRIVATE);
    assert.is(looks.n, 1, 'what was judged is what would be connected to');
    assert.is(receiver.received.length, 0);
    const none = await post({ url }, { allowPrivate: false, resolve: async () => [] });
    assert.equal(none, { ...UNREACHABLE, cause: 'ENOTFOUND' });
  }));

test('only the public addresses of a name are connected to', async () => {
  await using opened = new Resources();
  const connected: string[] = [];
  const trap = createServer((socket) => {
    connected.push('trap');
    socket.destroy();
  }).listen(0, '127.0.0.1');
  opened.onEnd(() => trap.close());
  await once(trap, 'listening');
  const { port } = trap.address() as { port: number };
  const resolve = async () => [
    { address: '127.0.0.1', family: 4 },
    { address: '240.0.0.1', family: 4 },
  ];
  const outcome = await postMessage(
    aMessage({ url: `https://hooks.example.com:${port}/` }),
    optionsFor({ allowPrivate: false, resolve }),
  );
  assert.equal(outcome, PRIVATE);
  assert.equal(connected, []);
});

test.run();

type Post = (message?: Partial<WebhookMessage>, options?: Partial<PostOptions>) => ReturnType<typeof postMessage>;

async function withReceiver(use: (parts: { receiver: Receiver; post: Post }) => Promise<void>): Promise<void> {
  await using opened = new Resources();
  const receiver = opened.add(await aReceiver());
  const post: Post = (message, options) =>
    postMessage(aMessage({ url: receiver.url, ...message }), optionsFor({ ca: receiver.ca, ...options }));
  await use({ receiver, post });
}

function optionsFor(options: Partial<PostOptions>): PostOptions {
  const signal = new AbortController().signal;
  return { allowPrivate: true, ca: null, signal, nowMs: () => Date.now(), withinMs: 30_000, ...options };
}

function aMessage(with_: Partial<WebhookMessage>): WebhookMessage {
  return {
    messageId: 1,
    webhookId: 'whk_7m3q0f9t2xkd4w6z',
    lease: 1,
    id: 'msg_x',
    url: '',
    secrets: [SECRET],
    kind: 'alert.opened',
    at: Date.UTC(2026, 10, 21, 9, 30, 0, 123),
    workspace: 'acme',
    data: JSON.stringify({ id: '00000000000000000000000000000027', opened_at: 7, ended_at: null }),
    ...with_,
  };
}
