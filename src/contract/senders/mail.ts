import { hash } from 'node:crypto';
import { LAST_MS } from '../../values/timestamp.ts';
import { isLikeApiKey, parseApiKey } from '../api-key.ts';
import type { Publication, Reply, SenderFormat } from './format.ts';
import { type Weight, weightOf, weightOfText } from './levels.ts';
import { linkIn } from './marks.ts';
import { textsOf } from './texts.ts';
import { occurredAt } from './times.ts';

/** Mail, by SMTP or `sendmail`. The key is the password, or in the recipient's address. There is no HTTP address. */
export const MAIL: SenderFormat = {
  keys: [],
  keyForm: 'tk_',
  // A mail server keeps what it is asked to send later.
  retriesAfter429: true,
  addresses: [],
  error: ({ message }) => message,
  configuration: ({ address, channel, key }) => {
    const { hostname } = new URL(address);
    return [
      `SMTP server: ${hostname}; with STARTTLS on the port of [senders.smtp] listen, or with SSL/TLS on the port of listen_tls`,
      `To: ${channel}@${hostname}`,
      'User name: pushctl',
      `Password: ${key}`,
      `If you cannot set a password, To: ${channel}+${key}@${hostname}`,
    ].join('\n');
  },
};

/** The relevant parts of a mail. Its texts have any length and may contain anything. Plain data. */
export interface Mail {
  readonly subject: string;
  readonly text: string;
  /** The target of the HTML's first link, if the text is made of HTML. */
  readonly htmlLink: string | null;
  readonly hasAttachments: boolean;
  /** Addresses of To, Cc and Bcc. */
  readonly recipients: readonly string[];
  /** Header fields by their names in lower case; of each the first. */
  readonly fields: Readonly<Partial<Record<MailField, string>>>;
}

export const MAIL_FIELDS = [
  ...(['message-id', 'date', 'auto-submitted'] as const),
  ...(['x-priority', 'importance', 'priority', 'x-msmail-priority'] as const),
] as const;
export type MailField = (typeof MAIL_FIELDS)[number];

/** Null: there is no text in it at all. `nowMs`: Unix time. */
export function mailPublication(mail: Mail, nowMs: number): Publication | Reply | null {
  const { subject, text, htmlLink, hasAttachments, fields } = mail;
  if (isAutomaticReply(fields)) return AUTOMATIC_REPLY;
  const texts = textsOf(subject, text);
  if (texts === null) return null;
  const url = htmlLink ?? linkIn(text.slice(0, LINK_WITHIN));
  const idempotencyKey = keyOf(mail);
  return {
    event: {
      ...texts,
      ...weightOfText(`${texts.title}\n${texts.description ?? ''}`, weightIn(fields)),
      ...(url !== undefined && { url }),
      ...occurredAt([sentAt(fields.date, nowMs)]),
    },
    ...(hasAttachments && { cut: ['attachment'] }),
    ...(idempotencyKey !== null && { idempotencyKey }),
  };
}

const LINK_WITHIN = 65_536;

/**
 * Returns whether a mail is an automatic reply, such as during an absence, which reports nothing (RFC 3834, section 5).
 * A bounce is accepted like any other mail: pushctl sends no mail, so there is no loop.
 */
function isAutomaticReply({ 'auto-submitted': submitted = '' }: Mail['fields']): boolean {
  return /^\s*auto-replied\b/i.test(submitted);
}

const AUTOMATIC_REPLY: Reply = { status: 250, reply: 'Automatic replies are ignored.' };

/** More channels than this get no mail at once. */
export const MOST_RECIPIENTS = 10;

/** Returns the part of a recipient before the `@` and before a `+`: the slug of a channel. */
export function channelIn(address: string): string {
  return /^[^@+]*/.exec(address.trim())?.[0] ?? '';
}

/**
 * The key in a recipient's address: `alerts+tk_…@push.example.com`, or alone before the `@`, where a device takes no more
 * than 64 characters there. An empty text: there is none.
 */
export function keyIn(address: string): string {
  const [name = ''] = address.toLowerCase().split('@', 1);
  const tag = name.slice(name.lastIndexOf('+') + 1);
  return parseApiKey(tag) !== null || (tag !== name && isLikeApiKey(tag)) ? tag : '';
}

/** The first field that says it, from the one that says it most finely: `1 (Highest)`, `high`. */
function weightIn(fields: Mail['fields']): Weight | undefined {
  const weights = (['x-priority', 'importance', 'priority', 'x-msmail-priority'] as const).map((name) => {
    const [word = ''] = (fields[name] ?? '').trim().split(/[\s(;]/, 1);
    return weightOf('mail', word);
  });
  return weights.find((weight) => weight !== undefined);
}

/** Null: it does not say when it was sent, or its sender's clock is wrong. A mail server gives up after five days. */
function sentAt(date: string | undefined, nowMs: number): number | null {
  const sentMs = Date.parse((date ?? '').slice(0, LONGEST_DATE));
  const isLikely = sentMs > nowMs - OLDEST_MS && sentMs < nowMs + FAST_CLOCK_MS && sentMs <= LAST_MS;
  return isLikely ? sentMs : null; // NaN is neither
}

const LONGEST_DATE = 100;
const OLDEST_MS = 7 * 86_400_000;
const FAST_CLOCK_MS = 60_000;

/**
 * The Message-ID with what stands beside it: a mail server that got no answer sends the same again, while some devices
 * give all their mails one. Null: it has none.
 */
function keyOf({ subject, text, fields: { 'message-id': id = '', date = '' } }: Mail): string | null {
  return id.trim() === '' ? null : `mail:${hash('sha256', JSON.stringify([id.trim(), date, subject, text]))}`;
}
