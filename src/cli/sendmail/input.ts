import type { Readable } from 'node:stream';

/** What is read of a mail: of what a job printed, more would not be shown. The rest is taken, but not kept. */
const MOST_BYTES = 1_048_576;

/** A mail on standard input, to its end or, as sendmail has it by default, to a line with a dot alone. */
export async function readMailInput(input: Readable, endsAtDot: boolean): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const kept = Buffer.from(chunk).subarray(0, MOST_BYTES - size);
    size += kept.length;
    if (kept.length > 0) chunks.push(kept);
  }
  const mail = Buffer.concat(chunks);
  return endsAtDot ? mail.subarray(0, endIn(mail)) : mail;
}

/** Where the line with the dot begins. */
function endIn(mail: Buffer): number {
  const at = mail.toString('latin1').search(/^\.\r?$/m);
  return at < 0 ? mail.length : at;
}
