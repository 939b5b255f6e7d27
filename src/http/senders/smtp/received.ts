import type { SMTPServerDataStream } from 'smtp-server';
import { SmtpRefusal } from './replies.ts';

const FIRST_BYTES = 65_536;

/**
 * The bytes of a mail, in one piece of memory that grows: they come in pieces of any size, of which there may be a million.
 * Rejects where there are more than `most`, once all have come, as a client reads no answer before; and where it breaks off.
 */
export async function receive(stream: SMTPServerDataStream, most: number): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = new Uint8Array(FIRST_BYTES);
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const kept = chunk.subarray(0, most - size);
    if (size + kept.length > bytes.length) {
      const larger = new Uint8Array(Math.min(most, Math.max(2 * bytes.length, size + kept.length)));
      larger.set(bytes.subarray(0, size));
      bytes = larger;
    }
    bytes.set(kept, size);
    size += kept.length;
  }
  if (stream.sizeExceeded) throw new SmtpRefusal(552, `The mail is larger than ${most / 1_048_576} MiB.`);
  return bytes.slice(0, size);
}
