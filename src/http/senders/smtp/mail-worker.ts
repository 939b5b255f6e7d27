/** Parses mails in a thread: see intake.ts. */

import type { Reply } from '../../../contract/senders/format.ts';
import { mailPublication } from '../../../contract/senders/mail.ts';
import { readMail } from '../../../contract/senders/mail-reading.ts';
import { type FittedPublication, fittedTo } from '../../../contract/senders/texts.ts';
import { collectUsedBuffers, lowerThreadPriority } from '../../../process/threads.ts';

lowerThreadPriority();

export interface MailTask {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether there was more of it. */
  readonly isCut: boolean;
  /** Unix time. */
  readonly nowMs: number;
}

/** Null: there is no text in it. */
export type MailAnswer = FittedPublication | Reply | 'unreadable' | null;

export default async function parseMail({ bytes, isCut, nowMs }: MailTask): Promise<MailAnswer> {
  try {
    const mail = await readMail(bytes).catch(() => null);
    if (mail === null) return 'unreadable';
    const publication = mailPublication(mail, nowMs);
    if (publication === null || 'reply' in publication) return publication;
    return fittedTo(isCut ? { ...publication, cut: ['mail'] } : publication);
  } finally {
    collectUsedBuffers();
  }
}
