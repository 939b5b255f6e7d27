import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';

/** A listener in place of a PostgreSQL, with its port. */
export interface Front {
  readonly port: number;
  close(): Promise<void>;
}

/** The first bytes of a client that wants TLS: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const SSL_REQUEST = 80_877_103;

/** The cluster with its socket in `folder`, reached by TLS alone. `host`: where it listens. */
export function overTls(
  folder: string,
  certificate: { readonly cert: string; readonly key: string },
  host?: string,
): Promise<Front> {
  const secureContext = createSecureContext(certificate);
  return front((socket) => {
    socket.once('data', (first) => {
      if (first.readInt32BE(4) !== SSL_REQUEST) return socket.destroy();
      socket.write('S');
      const near = new TLSSocket(socket, { isServer: true, secureContext });
      const far = connect(join(folder, '.s.PGSQL.5432'));
      for (const [source, target] of [
        [near, far],
        [far, near],
      ] as const) {
        source.on('error', () => target.destroy()).on('close', () => target.destroy());
      }
      near.pipe(far).pipe(near);
      return socket;
    });
  }, host);
}

/** A server that lets everybody in, and answers each question with the first of these words that fits it. */
export function answering(answers: readonly (readonly [question: RegExp, answer: string])[]): Promise<Front> {
  return front((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', int32(0)), READY]));
      socket.on('data', (data) => {
        if (data.toString('latin1', 0, 1) !== 'Q') return;
        const question = data.toString('utf8', 5);
        const answer = answers.find(([asked]) => asked.test(question))?.[1] ?? '';
        socket.write(Buffer.concat([rowOf(answer), message('C', text('SELECT 1')), READY]));
      });
    });
  });
}

/** A server that asks everybody for a password. */
export function askingForPassword(): Promise<Front> {
  return front((socket) => {
    socket.once('data', () => {
      socket.write(message('R', int32(10), text('SCRAM-SHA-256'), Buffer.from([0])));
      socket.once('data', (data) => {
        const nonce = /r=([^,\0]+)/.exec(data.toString('latin1'))?.[1];
        socket.write(message('R', int32(11), Buffer.from(`r=${nonce}more,s=c2FsdA==,i=4096`)));
      });
    });
  });
}

async function front(meet: (socket: Socket) => void, host = '127.0.0.1'): Promise<Front> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on('error', () => {}));
    meet(socket);
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function message(kind: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  return int32(value).subarray(2);
}

function text(words: string): Buffer {
  return Buffer.from(`${words}\0`);
}

const READY = message('Z', Buffer.from('I'));
const TEXT_TYPE = 25;

/** One row of one column. */
function rowOf(value: string): Buffer {
  const column = Buffer.concat([text('value'), int32(0), int16(0), int32(TEXT_TYPE), int16(-1), int32(-1), int16(0)]);
  return Buffer.concat([
    message('T', int16(1), column),
    message('D', int16(1), int32(Buffer.byteLength(value)), Buffer.from(value)),
  ]);
}
