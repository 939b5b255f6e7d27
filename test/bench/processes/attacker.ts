/** A client on addresses of its own who does what has once stopped the server for others, mostly without a key. */
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { packageVersion } from '../../../src/process/package.ts';
import { bodyOf } from '../../support/costly-bodies.ts';
import { WORST } from '../../support/worst-bodies.ts';
import { serveHandlers } from './handlers.ts';

const DOCUMENT = 'GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
const HALF_SIGN_IN =
  'POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n{';

const NOWHERE = 'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

interface Attack {
  readonly connections: number;
  /** How soon a connection that has ended is opened again. */
  readonly againAfterMs: number;
  /** From how many addresses they come, in turns. */
  readonly addresses: number;
  /** Default: the HTTP listener. */
  readonly listener?: 'mail' | 'socket';
  act(socket: Socket, means: Means): void;
}

interface Means {
  readonly url: string;
  readonly mailPort: number;
  /** The socket that members of the service's group may read. */
  readonly readSocket: string;
  /** A sender's. */
  readonly key: string;
  /** The token of a member's session. */
  readonly token: string;
}

const ATTACKS = {
  unread: {
    connections: 60,
    againAfterMs: 100,
    addresses: 1,
    act: (socket) => socket.pause().write(DOCUMENT.repeat(1_500)),
  },
  pipelined: { connections: 1, againAfterMs: 0, addresses: 1, act: pipeline },
  halves: { connections: 60, againAfterMs: 350, addresses: 1, act: (socket) => socket.write(HALF_SIGN_IN) },
  silent: { connections: 2_000, againAfterMs: 1_000, addresses: 1, act: () => undefined },
  signIns: { connections: 100, againAfterMs: 0, addresses: 200, act: (socket) => socket.resume().write(wrongSignIn()) },
  nowhere: { connections: 100, againAfterMs: 0, addresses: 200, act: (socket) => socket.resume().write(NOWHERE) },
  searches: {
    connections: 120,
    againAfterMs: 0,
    addresses: 4,
    act: (socket, { token }) => socket.resume().write(searchOf(token)),
  },
  bodies: { connections: 4, againAfterMs: 100, addresses: 1, act: (socket, { key }) => postInTurn(socket, small(key)) },
  largeBodies: {
    connections: 4,
    againAfterMs: 100,
    addresses: 1,
    act: (socket, { key }) => postInTurn(socket, large(key)),
  },
  heldBodies: {
    connections: 1_000,
    againAfterMs: 500,
    addresses: 50,
    act: (socket, { token }) => socket.resume().write(almostAll(token)),
  },
  silentMails: { connections: 256, againAfterMs: 0, addresses: 8, listener: 'mail', act: (socket) => socket.resume() },
  endlessMails: {
    connections: 8,
    againAfterMs: 400,
    addresses: 8,
    listener: 'mail',
    act: (socket, { key }) => mailForever(socket, key),
  },
  readers: {
    connections: 16,
    againAfterMs: 500,
    addresses: 1,
    listener: 'socket',
    act: (socket) => socket.pause().write(lists()),
  },
} as const satisfies Readonly<Record<string, Attack>>;
export type AttackName = keyof typeof ATTACKS;

const open = new Set<Socket>();
let isOver = true;
let means: Means | null = null;
/** So many connections were opened so far. */
let opened = 0;
/** Made once, as that takes longer than to answer them. */
let madeSmall: readonly Buffer[] | null = null;
let madeLarge: readonly Buffer[] | null = null;
/** With the four connections together the twenty requests a second that the key may make. */
const PAUSE_MS = 200;

const handlers = {
  /** Makes the bodies, which takes seconds. */
  prepare(given: Means): void {
    means = given;
    small(given.key);
    large(given.key);
  },

  start(name: AttackName): void {
    isOver = false;
    for (let count = 0; count < ATTACKS[name].connections; count += 1) attack(name);
  },

  /** Ends by a reset: unread bytes are gone, and do not weigh on the next measurement. */
  stop(): void {
    isOver = true;
    // Only TCP has a reset.
    for (const socket of open) socket.remotePort === undefined ? socket.destroy() : socket.resetAndDestroy();
  },
};
export type AttackerHandlers = typeof handlers;
serveHandlers(handlers);

function attack(name: AttackName): void {
  if (isOver || means === null) return;
  const { againAfterMs, addresses, listener, act }: Attack = ATTACKS[name];
  opened += 1;
  const { hostname: host, port } = new URL(means.url);
  const localAddress = `127.0.2.${1 + (opened % addresses)}`;
  const to = { host, port: listener === 'mail' ? means.mailPort : Number(port), localAddress };
  const socket = connect(listener === 'socket' ? { path: means.readSocket } : to);
  open.add(socket);
  socket.on('error', () => {});
  socket.once('connect', () => means && act(socket, means));
  socket.once('close', () => {
    open.delete(socket);
    setTimeout(attack, againAfterMs, name);
  });
}

/** Guesses for a new email each time, so that no limit on guesses skips the look-up. */
function wrongSignIn(): string {
  const body = JSON.stringify({ email: `nobody-${opened}@example.com`, password: 'not the password' });
  const head = 'POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n';
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** It finds nothing, so it looks as far as a search does. */
function searchOf(token: string): string {
  const head = 'GET /api/v1/events?q=nothing%20has%20this HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
  return `${head}Authorization: Bearer ${token}\r\n\r\n`;
}

/** A body of a route that counts no events, without its last bytes. */
function almostAll(token: string): string {
  const head = `PUT /api/v1/inbox/read HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
  const type = 'Content-Type: application/json\r\n';
  return `${head}${type}Content-Length: 65000\r\n\r\n{"x":"${'x'.repeat(63_994)}`;
}

/** A mail with a good key that has no end. */
function mailForever(socket: Socket, key: string): void {
  const auth = Buffer.from(`\0printer\0${key}`).toString('base64');
  const says = ['EHLO x', `AUTH PLAIN ${auth}`, 'MAIL FROM:<a@example.com>', 'RCPT TO:<alerts@example.com>', 'DATA'];
  const line = `${'x'.repeat(998)}\r\n`.repeat(64);
  const flood = (): void => {
    while (!socket.destroyed && socket.write(line));
  };
  socket.setEncoding('latin1').on('data', (text: string) => {
    if (text.startsWith('354')) socket.on('drain', flood) && flood();
    else if (/^\d{3} /m.test(text)) socket.write(`${says.shift() ?? 'QUIT'}\r\n`);
  });
}

/** The number and length are those of test/attacks/readers.ci.test.ts. */
function lists(): string {
  const hello = JSON.stringify({ hello: { version: packageVersion() } });
  const calls = Array.from({ length: 4_000 }, (_, id) =>
    JSON.stringify({ id, call: 'listEvents', args: { workspace: 'evil', limit: 500 } }),
  );
  return `${[hello, ...calls].join('\n')}\n`;
}

/** Ten thousand requests at once, whose answers are read; then again. */
function pipeline(socket: Socket): void {
  let waiting = 0;
  const ask = (): void => {
    waiting = 10_000;
    socket.write(DOCUMENT.repeat(waiting));
  };
  socket.setEncoding('latin1').on('data', (text: string) => {
    waiting -= text.split('HTTP/1.1 200').length - 1;
    if (waiting <= 0) ask();
  });
  ask();
}

/** One request after another, each some time after the answer to the last one. */
function postInTurn(socket: Socket, requests: readonly Buffer[]): void {
  let at = opened;
  const next = (): void => {
    at += 1;
    if (!socket.destroyed) socket.write(requests[at % requests.length] ?? '');
  };
  socket.setEncoding('latin1').on('data', (text: string) => {
    if (text.startsWith('HTTP/1.1 ')) setTimeout(next, PAUSE_MS);
  });
  next();
}

/** The worst bodies of all formats, as they are and compressed. */
function small(key: string): readonly Buffer[] {
  madeSmall ??= WORST.flatMap(({ path, shape }) => {
    const [plain, zipped] = [bodyOf(shape, 65_536), gzipSync(bodyOf(shape, 65_536))];
    return [requestOf(path, key, shape.type, plain), requestOf(path, key, shape.type, zipped)];
  });
  return madeSmall;
}

/** Bodies of 4 MiB, compressed as far as is taken. */
function large(key: string): readonly Buffer[] {
  madeLarge ??= WORST.filter(({ path }) => path.startsWith('/senders/alertmanager')).map(({ path, shape }) =>
    requestOf(path, key, shape.type, gzipSync(bodyOf(shape, 4_194_304), { level: 1 })),
  );
  return madeLarge;
}

function requestOf(path: string, key: string, type: string, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  const head = [
    `POST ${path.replace('{key}', key)} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${key}`,
    `Content-Type: ${type}`,
    ...(typeof body === 'string' ? [] : ['Content-Encoding: gzip']),
    `Content-Length: ${bytes.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]);
}
