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
  readonly held: HeldBody;
}

export function tooLarge(most: number): SmtpRefusal {
  return new SmtpRefusal(552, `The mail is larger than ${most / 1_048_576} MiB.`);
}

/**
 * Receives a mail, which comes in pieces of any size, of which there may be a million. If it is larger than `most`, it is
 * refused once all of it has come, as a client reads no answer before. If there is no room for it, it breaks off, or the
 * stream is destroyed as it does not end, it is refused at once.
 */
export async function receive(stream: SMTPServerDataStream, most: number, open: OpenBody): Promise<ReceivedMail> {
  let held: HeldBody | null = null;
  try {
    held = open((reason) => stream.destroy(reason));
    const bytes = new BodyBytes(held);
    let size = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const kept = chunk.subarray(0, most - size);
      if (kept.length > 0) bytes.add(kept);
      size += kept.length;
    }
    if (stream.sizeExceeded) throw tooLarge(most);
    held.finish();
    return { bytes: new Uint8Array(bytes.whole()), held };
  } catch (error) {
    held?.release();
    // RFC 5321, section 3.8: this reply ends the connection, so the rest of the mail is not read.
    throw error instanceof ApiError ? new SmtpRefusal(421, error.message) : error;
  }
}
