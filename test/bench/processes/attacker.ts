/** A stranger without a key, on an address of its own, who does what has once stopped the server for others. */
import { connect, type Socket } from 'node:net';
import { serveVerbs } from './verbs.ts';

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
  act(socket: Socket): void;
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
} as const satisfies Readonly<Record<string, Attack>>;
export type AttackName = keyof typeof ATTACKS;

const open = new Set<Socket>();
let isOver = true;
/** So many connections were opened so far. */
let opened = 0;

const verbs = {
  start({ name, url }: { readonly name: AttackName; readonly url: string }): void {
    isOver = false;
    for (let count = 0; count < ATTACKS[name].connections; count += 1) attack(name, new URL(url));
  },

  /** By a reset: what the server has not read yet is gone, and does not weigh on what is measured next. */
  stop(): void {
    isOver = true;
    for (const socket of open) socket.resetAndDestroy();
  },
};
export type AttackerVerbs = typeof verbs;
serveVerbs(verbs);

function attack(name: AttackName, url: URL): void {
  if (isOver) return;
  const { againAfterMs, addresses, act } = ATTACKS[name];
  opened += 1;
  const localAddress = `127.0.2.${1 + (opened % addresses)}`;
  const socket = connect({ host: url.hostname, port: Number(url.port), localAddress });
  open.add(socket);
  socket.on('error', () => {});
  socket.once('connect', () => act(socket));
  socket.once('close', () => {
    open.delete(socket);
    setTimeout(attack, againAfterMs, name, url);
  });
}

/** For an email that nobody has guessed at before, so that no limit on guesses keeps it from being looked at. */
function wrongSignIn(): string {
  const body = JSON.stringify({ email: `nobody-${opened}@example.com`, password: 'not the password' });
  const head = 'POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n';
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
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
