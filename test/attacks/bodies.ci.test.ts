import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BOB, CARL } from '../support/cast.ts';
import { type Api, withApi } from '../support/http.ts';
import { firstBytes, openRaw } from '../support/raw.ts';
import { aNotification } from '../support/senders.ts';
import { aPerson } from '../support/sign-in.ts';
import { type MailScene, withMail } from '../support/smtp.ts';
import { until, untilIs } from '../support/until.ts';

const MIB = 1_048_576;
/** So many that no other limit stops an attack. */
const CHANGES = { changesPerMinute: 10_000 };
/** The default. */
const TOTAL = 32 * MIB;
const OVERLOADED = /^HTTP\/1\.1 503[\s\S]*Retry-After: 1[\s\S]*Connection: close/;

interface Unfinished {
  readonly path: string;
  readonly key?: string;
  readonly address?: string;
  readonly method?: string;
  /** All of its bytes but this many are sent. */
  readonly length?: number;
  readonly missing?: number;
}

interface Flood {
  /** The server's answers, on each connection that had any. */
  readonly answers: string[];
  end(): Promise<void>;
}

/** Sends almost the whole of a body on each of many connections. */
async function flood(api: Api, count: number, options: (at: number) => Unfinished): Promise<Flood> {
  const answers: string[] = [];
  const wanted = Array.from({ length: count }, (_, at) => options(at));
  const sockets = await Promise.all(wanted.map(({ address = '127.0.0.2' }) => openRaw(api.http.url, address)));
  for (const [at, { path, key, method = 'POST', length = 65_000, missing = 1_000 }] of wanted.entries()) {
    const socket = sockets[at] as Socket;
    void firstBytes(socket).then((answer) => answer !== null && answers.push(answer));
    const head = [
      `${method} ${path} HTTP/1.1`,
      'Host: x',
      ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
      'Content-Type: application/json',
      `Content-Length: ${length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{"x":"`);
    socket.write('x'.repeat(length - missing - 6));
  }
  return {
    answers,
    async end() {
      for (const socket of sockets) socket.destroy();
      await untilIs('no body to be held', () => api.bodies.bytes, 0);
    },
  };
}

/** A member of another workspace with its own key, whom an attack must not reach. */
async function aNeighbour(api: Api) {
  const { issueKey } = await api.addWorkspace('other', { channels: ['alerts'], owner: CARL });
  const { text: key } = await issueKey();
  return {
    async posts() {
      const { status } = await api.post({ channel: 'alerts', title: 'x', description: 'y'.repeat(500) }, { key });
      assert.is(status, 202);
    },
  };
}

test('bodies that a member does not finish take a quarter of the memory, from no one else', () =>
  withApi(
    async (api) => {
      const key = await aPerson(api, BOB);
      const neighbour = await aNeighbour(api);
      const attack = await flood(api, 400, () => ({ path: '/api/v1/inbox/read', method: 'PUT', key }));
      await until('the rest to be refused', () => attack.answers.length >= 270 || attack.answers.length);
      assert.ok(api.bodies.bytes > TOTAL / 5, `${api.bodies.bytes} bytes are counted`);
      assert.ok(api.bodies.bytes <= TOTAL / 4, `${api.bodies.bytes} bytes are counted`);
      for (const answer of attack.answers) assert.match(answer, OVERLOADED);
      await neighbour.posts();
      const { status } = await api.request('/api/v1/inbox/read', { method: 'PUT', key, body: { events: [] } });
      assert.is.not(status, 503);
      await attack.end();
    },
    { limits: CHANGES },
  ));

test('bodies of a whole workspace take half of the memory, and a member who has few bodies is not refused', () =>
  withApi(
    async (api) => {
      const attackers = await Promise.all(['x1', 'x2', 'x3', 'x4'].map((name) => aPerson(api, `${name}@example.com`)));
      const quiet = await aPerson(api, BOB);
      const neighbour = await aNeighbour(api);
      const attack = await flood(api, 480, (at) => ({
        path: '/api/v1/inbox/read',
        method: 'PUT',
        key: attackers[at % attackers.length] ?? '',
      }));
      await until('the rest to be refused', () => attack.answers.length >= 220 || attack.answers.length);
      assert.ok(api.bodies.bytes > TOTAL / 3 && api.bodies.bytes <= TOTAL / 2, `${api.bodies.bytes} bytes are counted`);
      await neighbour.posts();
      const { status } = await api.request('/api/v1/inbox/unread', { method: 'PUT', key: quiet, body: { events: [] } });
      assert.is.not(status, 503);
      await attack.end();
    },
    { limits: CHANGES },
  ));

/** No time-out may answer in place of the budget. */
const PATIENT = { strangerMs: 3_600_000 };
const OF_STRANGERS = ['/api/v1/session', '/senders/pagerduty/v2/enqueue'];

test('bodies of strangers take an eighth of the memory, and another network signs in beside them', () =>
  withApi(async (api) => {
    const neighbour = await aNeighbour(api);
    for (const path of OF_STRANGERS) {
      const attack = await flood(api, 150, (at) => ({ path, address: `127.0.0.${2 + (at % 5)}` }));
      await until('the rest to be refused', () => attack.answers.length >= 80 || attack.answers.length);
      assert.ok(
        api.bodies.bytes > TOTAL / 10 && api.bodies.bytes <= TOTAL / 8,
        `${api.bodies.bytes} bytes are counted`,
      );
      for (const answer of attack.answers) assert.match(answer, OVERLOADED);
      await neighbour.posts();
      const slow = await openRaw(api.http.url, '127.0.0.9');
      const answer = firstBytes(slow);
      const body = JSON.stringify({ email: 'ada@example.com', password: 'x'.repeat(900) });
      slow.write(
        `POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      for (const half of [body.slice(0, 400), body.slice(400)]) slow.write(half);
      assert.match((await answer) ?? '', /^HTTP\/1\.1 4\d\d/);
      slow.destroy();
      await attack.end();
    }
  }, PATIENT));

test('a key, a session and a limit are looked at before a body has come, also while the memory is taken', () =>
  withApi(
    async (api) => {
      const key = await aPerson(api, BOB);
      const attack = await flood(api, 200, () => ({ path: '/api/v1/inbox/read', method: 'PUT', key }));
      await until('the memory to be taken', () => api.bodies.bytes > TOTAL / 5 || api.bodies.bytes);
      const { text: reading } = await api.issueKey({ scopes: ['events:read'] });
      const { text: spent } = await api.issueKey();
      assert.is((await api.post({ channel: 'alerts', title: 'x' }, { key: spent })).status, 202);
      for (const [token, status] of [
        ['wrong', 401],
        [reading, 403],
        [spent, 429],
      ] as const) {
        const raw = await openRaw(api.http.url);
        raw.write(
          `POST /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
            'Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{',
        );
        assert.match((await firstBytes(raw)) ?? '', new RegExp(`^HTTP/1\\.1 ${status}`));
        raw.destroy();
      }
      await attack.end();
    },
    { limits: { ...CHANGES, burstPerMinute: 1 } },
  ));

/** Signs a mail client in, and sends a mail but for its end. */
async function unfinishedMail({ api, open }: MailScene, key: string, bytes: number): Promise<Socket> {
  const talk = await open('127.0.0.2');
  const auth = Buffer.from(`\0any\0${key}`).toString('base64');
  assert.match(await talk.say('EHLO x', `AUTH PLAIN ${auth}`, 'MAIL FROM:<>', 'RCPT TO:<alerts@x>', 'DATA'), /^354/);
  const before = api.bodies.bytes;
  talk.socket.write(`Subject: x\r\n\r\n${`${'x'.repeat(998)}\r\n`.repeat(bytes / 1_000)}`);
  await until('it to have come', () => talk.socket.destroyed || api.bodies.bytes !== before);
  return talk.socket;
}

test('a leaked key whose notifications and mails do not finish stops neither those of its workspace nor of others', () =>
  withMail({ limits: { burstPerMinute: 1_000 } }, async (scene) => {
    const { api, send } = scene;
    const { text: leaked } = await api.issueKey();
    const { text: good } = await api.issueKey({ channels: ['alerts'] });
    const neighbour = await aNeighbour(api);
    const length = 4 * MIB - 1_000;
    const path = '/senders/alertmanager/alerts';
    const attack = await flood(api, 12, () => ({ path, key: leaked, length, missing: 10 }));
    await until('most to be refused', () => attack.answers.length >= 9 || attack.answers.length);
    for (const answer of attack.answers) assert.match(answer, /^HTTP\/1\.1 503/);
    const mails: Socket[] = [];
    for (let count = 0; count < 10; count += 1) mails.push(await unfinishedMail(scene, leaked, 1_900_000));
    assert.ok(api.bodies.bytes <= TOTAL / 4, `${api.bodies.bytes} bytes are counted`);
    const body = JSON.stringify(aNotification()) + ' '.repeat(100_000);
    assert.is((await api.request(path, { method: 'POST', key: good, body })).status, 200);
    assert.match(await send({ subject: 'Disk full', text: 'x'.repeat(100_000) }, { password: good }), /^250/);
    await neighbour.posts();
    for (const socket of mails) socket.destroy();
    await attack.end();
  }));

test('a mail for which there is no room is answered 421, and its connection ends', () =>
  withMail({ limits: { burstPerMinute: 1_000 } }, async (scene) => {
    const { api, open } = scene;
    const talks = [];
    for (let count = 0; count < 6; count += 1) {
      const talk = await open('127.0.0.2');
      const auth = Buffer.from(`\0any\0${api.key}`).toString('base64');
      await talk.say('EHLO x', `AUTH PLAIN ${auth}`, 'MAIL FROM:<>', 'RCPT TO:<alerts@x>', 'DATA');
      talk.socket.write(`Subject: x\r\n\r\n${`${'x'.repeat(998)}\r\n`.repeat(1_900)}`);
      talks.push(talk);
    }
    const [first, ...others] = talks;
    if (first === undefined) throw new Error('there are six');
    assert.match(await first.reply(), /^421 4\.4\.2 The service is overloaded/);
    if (!first.socket.closed) await once(first.socket, 'close');
    assert.match(await (others.at(-1)?.reply('\r\n.') ?? ''), /^250/);
    for (const { socket } of others) socket.destroy();
    await untilIs('no body to be held', () => api.bodies.bytes, 0);
  }));

test.run();
