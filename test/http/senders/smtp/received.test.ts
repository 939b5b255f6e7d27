import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { SMTPServerDataStream } from 'smtp-server';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Discarding, type MailRoom, receive } from '../../../../src/http/senders/smtp/received.ts';

const PIECE = Buffer.alloc(65_536, 'x');
const PIECES = 40;
const HELD = { take: () => undefined, giveBack: () => undefined, finish: () => undefined, release: () => undefined };

function newStream(): SMTPServerDataStream {
  return Object.assign(new PassThrough(), { byteLength: 0, sizeExceeded: false });
}

/** A client that sends as fast as the server reads. Returns how often other work had its turn meanwhile. */
async function turnsDuring(mostBytes: number): Promise<number> {
  const stream = newStream();
  let sent = 0;
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    if (!stream.readableEnded) setImmediate(turn);
  };
  setImmediate(turn);
  const send = (): void => {
    while (sent < PIECES && ++sent && stream.write(PIECE));
    if (sent === PIECES) stream.end();
  };
  stream.on('drain', send);
  send();
  const discarding = new Discarding();
  await receive(stream, mostBytes, { open: () => HELD as never, discard: (bytes) => discarding.take(1, bytes) });
  return turns;
}

test('a mail that comes at full speed lets other work have its turns, also beyond its largest size', async () => {
  for (const mostBytes of [PIECES * PIECE.length, PIECE.length]) {
    const turns = await turnsDuring(mostBytes);
    assert.ok(turns >= PIECES / 4, `${turns} turns for ${PIECES} pieces`);
  }
});

test('the excess of a workspace delays its own mails, and those of no other', async () => {
  const discarding = new Discarding();
  const order: string[] = [];
  const take = (name: string, workspaceId: number, bytes: number) =>
    discarding.take(workspaceId, bytes).then(() => order.push(name));
  await Promise.all([take('much', 1, 1_048_576), take('own', 1, PIECE.length), take('other', 2, PIECE.length)]);
  assert.equal(order, ['other', 'much', 'own']);
});

test('a mail that is rejected delays the next mails of its workspace by the bytes that were read of it', async () => {
  const discarding = new Discarding();
  const begun: string[] = [];
  const roomOf = (name: string, workspaceId: number): MailRoom => ({
    open: () => {
      begun.push(name);
      return HELD as never;
    },
    discard: (bytes) => discarding.take(workspaceId, bytes),
  });
  const endless = newStream();
  const rejected = receive(endless, PIECES * PIECE.length, roomOf('endless', 1)).catch(() => begun.push('rejected'));
  for (let sent = 0; sent < 4; sent += 1) if (!endless.write(PIECE)) await once(endless, 'drain');
  endless.destroy(new Error('too large'));
  await rejected;
  const next = (name: string, workspaceId: number) => {
    const stream = newStream();
    stream.end(PIECE);
    return receive(stream, PIECE.length, roomOf(name, workspaceId));
  };
  await Promise.all([next('own', 1), next('other', 2)]);
  assert.equal(begun, ['endless', 'rejected', 'other', 'own']);
});

test.run();
