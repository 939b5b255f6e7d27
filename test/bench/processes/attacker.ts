/** A stranger without a key, on an address of its own, who does what has once stopped the server for others. */
import { connect, type Socket } from 'node:net';
import { serveVerbs } from './verbs.ts';

const ADDRESS = '127.0.0.2';
const DOCUMENT = 'GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
const HALF_SIGN_IN =
  'POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n{';

/** By name: how many connections are kept open, how soon one that has ended is opened again, and what is done on each. */
const ATTACKS = {
  unread: { connections: 60, againAfterMs: 100, act: (socket: Socket) => socket.pause().write(DOCUMENT.repeat(1_500)) },
  pipelined: { connections: 1, againAfterMs: 0, act: (socket: Socket) => pipeline(socket) },
  halves: { connections: 60, againAfterMs: 350, act: (socket: Socket) => socket.write(HALF_SIGN_IN) },
  silent: { connections: 2_000, againAfterMs: 1_000, act: () => undefined },
} as const;
export type AttackName = keyof typeof ATTACKS;

const open = new Set<Socket>();
let isOver = true;

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
  const { againAfterMs, act } = ATTACKS[name];
  const socket = connect({ host: url.hostname, port: Number(url.port), localAddress: ADDRESS });
  open.add(socket);
  socket.on('error', () => {});
  socket.once('connect', () => act(socket));
  socket.once('close', () => {
    open.delete(socket);
    setTimeout(attack, againAfterMs, name, url);
  });
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
