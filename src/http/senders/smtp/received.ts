import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { SMTPServerDataStream } from 'smtp-server';
import { BodyBytes } from '../../body/body-bytes.ts';
import { ApiError } from '../../errors.ts';
import type { HeldBody } from '../../limits/body-budget.ts';
import { SmtpRefusal } from './replies.ts';

/** Begins to count a mail. Throws `overloaded`, as does the stream if the mail has to give way to others. */
export type OpenBody = (giveWay: (reason: ApiError) => void) => HeldBody;

/** A mail counts until it is released. */
export interface ReceivedMail {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether more came than is kept. */
  readonly isCut: boolean;
  readonly held: HeldBody;
}

/** Of one mail, before other work has its turn: without an end, a fast client's bytes keep the event loop for 90 ms. */
const TURN_BYTES = 65_536;
/** Of all mails together, of what is not kept. Reading a mebibyte takes some 10 ms of the HTTP thread. */
const DISCARDED_BYTES_PER_SECOND = 8 * 1_048_576;

/** When what was discarded so far has had its time. */
let discardedUntilMs = 0;

export function tooLarge(most: number): SmtpRefusal {
  return new SmtpRefusal(552, `The mail is larger than ${most / 1_048_576} MiB.`);
}

/**
 * Receives a mail, which comes in pieces of any size, of which there may be a million. Keeps the first bytes, where its
 * text stands; the rest is read slowly. If there is no room for it, it breaks off, or the stream is destroyed as it does
 * not end, it is refused at once.
 */
export async function receive(stream: SMTPServerDataStream, keptBytes: number, open: OpenBody): Promise<ReceivedMail> {
  let held: HeldBody | null = null;
  try {
    held = open((reason) => stream.destroy(reason));
    const bytes = new BodyBytes(held, { first: keptBytes });
    let size = 0;
    let turnBytes = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes.add(chunk);
      size += chunk.length;
      turnBytes += chunk.length;
      if (turnBytes < TURN_BYTES) continue;
      await (size > keptBytes ? discard(turnBytes) : nextTurn());
      turnBytes = 0;
    }
    held.finish();
    return { bytes: new Uint8Array(bytes.whole()), isCut: size > keptBytes, held };
  } catch (error) {
    held?.release();
    // RFC 5321, section 3.8: this reply ends the connection, so the rest of the mail is not read.
    throw error instanceof ApiError ? new SmtpRefusal(421, error.message) : error;
  }
}

/** Resolves when all clients together may send more bytes that nobody needs. */
async function discard(bytes: number): Promise<void> {
  const nowMs = performance.now();
  discardedUntilMs = Math.max(discardedUntilMs, nowMs) + (bytes * 1_000) / DISCARDED_BYTES_PER_SECOND;
  await pause(discardedUntilMs - nowMs);
}
