/** Runs in the thread that parses mails: see intake.ts. */
import { type FittedPublication, fittedTo } from '../../../contract/senders/fitting.ts';
import type { Reply } from '../../../contract/senders/format.ts';
import { mailPublication } from '../../../contract/senders/mail.ts';
import { readMail } from '../../../contract/senders/mail-reading.ts';
import { collectUsedBuffers } from '../../../process/garbage-collection.ts';

export interface MailTask {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Unix time. */
  readonly nowMs: number;
}

/** Null: there is no text in it. */
export type MailAnswer = FittedPublication | Reply | 'unreadable' | null;

export default async function parseMail({ bytes, nowMs }: MailTask): Promise<MailAnswer> {
  try {
    const mail = await readMail(bytes).catch(() => null);
    if (mail === null) return 'unreadable';
    const publication = mailPublication(mail, nowMs);
    return publication === null || 'reply' in publication ? publication : fittedTo(publication);
  } finally {
    collectUsedBuffers();
  }
}
