import { PassThrough } from 'node:stream';
import type { SMTPServerDataStream } from 'smtp-server';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Discarding, receive } from '../../../../src/http/senders/smtp/received.ts';

const PIECE = Buffer.alloc(65_536, 'x');
const PIECES = 40;
const HELD = { take: () => undefined, giveBack: () => undefined, finish: () => undefined, release: () => undefined };

/** A client that sends as fast as the server reads. Returns how often other work had its turn meanwhile. */
async function turnsDuring(mostBytes: number): Promise<number> {
  const stream: SMTPServerDataStream = Object.assign(new PassThrough(), { byteLength: 0, sizeExceeded: false });
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

test.run();
