import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Transform } from 'node:stream';

/** A proxy between nodes and their database that fails as a network does: slow, silent, cut, or led to another machine. */
export interface DatabaseProxy {
  /** Returns an address of the database behind it. `options`: of the connection, such as a search_path. */
  url(options?: string): string;
  /** From now on new connections lead to the cluster with its socket in this folder. Those that are open end. */
  leadTo(folder: string): void;
  /** Sets the extra time of a question and its answer, from now on. */
  delay(roundTripMs: number): void;
  /** All connections end, and new ones as soon as they are made. */
  cut(): void;
  /** Nothing passes any more, and neither end learns of it, as when a machine loses its power. */
  freeze(): void;
  /** New connections work again. */
  fix(): void;
  /** The same, and the database hears which connections were closed meanwhile, as it does of a network that works again. */
  heal(): void;
  /** The next question with this text in it still gets to the database; its connection ends, with `words`, instead of an answer. */
  loseAnswerTo(text: string, words?: Buffer): void;
  /** How many answers were lost so. */
  readonly lost: number;
  close(): Promise<void>;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  isFrozen: boolean;
}

/** On a port of its own, to the cluster with its socket in this folder. */
export async function startDatabaseProxy(folder: string): Promise<DatabaseProxy> {
  const pairs = new Set<Pair>();
  /** Made while the proxy was frozen. */
  const halves = new Set<Socket>();
  let target = folder;
  let state: 'open' | 'cut' | 'frozen' = 'open';
  let oneWayMs = 0;
  let fatal: { readonly text: string; readonly words: Buffer } | null = null;
  let lost = 0;

  const server = createServer((near) => {
    near.on('error', () => near.destroy());
    if (state === 'cut') near.destroy();
    else if (state === 'frozen') halves.add(near.resume());
    else lead(near);
  });

  function lead(near: Socket): void {
    const far = connect(join(target, '.s.PGSQL.5432'));
    const pair: Pair = { near, far, isFrozen: false };
    pairs.add(pair);
    const end = () => {
      if (pair.isFrozen) return;
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    far.on('error', end).on('close', end);
    near.on('close', end);
    near.pipe(slowly(() => oneWayMs)).pipe(far);
    const answers = far.pipe(slowly(() => oneWayMs));
    answers.pipe(near);
    near.on('data', (chunk: Buffer) => {
      if (fatal === null || !chunk.includes(fatal.text)) return;
      const { words } = fatal;
      fatal = null;
      answers.unpipe(near);
      far.once('data', () => {
        lost += 1;
        near.end(words, end);
      });
    });
  }

  const endAll = () => {
    for (const { near, far } of pairs) for (const socket of [near, far]) socket.destroy();
    for (const near of halves) near.destroy();
    pairs.clear();
    halves.clear();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url(options) {
      const query = options === undefined ? '' : `?${new URLSearchParams({ options })}`;
      return `postgres://postgres@127.0.0.1:${port}/postgres${query}`;
    },
    leadTo(next) {
      target = next;
      endAll();
    },
    delay(roundTripMs) {
      oneWayMs = roundTripMs / 2;
    },
    cut() {
      state = 'cut';
      endAll();
    },
    freeze() {
      state = 'frozen';
      for (const pair of pairs) {
        pair.isFrozen = true;
        for (const socket of [pair.near, pair.far]) socket.unpipe().resume();
      }
    },
    fix() {
      state = 'open';
    },
    heal() {
      state = 'open';
      for (const pair of pairs) {
        if (!pair.near.destroyed) continue;
        pairs.delete(pair);
        pair.far.destroy();
      }
    },
    loseAnswerTo(text, words = Buffer.alloc(0)) {
      fatal = { text, words };
    },
    get lost() {
      return lost;
    },
    async close() {
      endAll();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Passes all on in its order, each piece after a while. */
function slowly(ms: () => number): Transform {
  return new Transform({
    transform(chunk, _, taken) {
      const waitMs = ms();
      if (waitMs === 0) return taken(null, chunk);
      setTimeout(() => this.push(chunk), waitMs);
      taken();
    },
    flush(done) {
      setTimeout(done, ms());
    },
  });
}
