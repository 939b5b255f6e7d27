import { hash } from 'node:crypto';
import { LAST_MS } from '../../values/timestamp.ts';
import { isLikeApiKey, parseApiKey } from '../api-key.ts';
import { occurredAt, type Publication, type Reply, type SenderFormat } from './format.ts';
import { type Weight, weightOf, weightOfText } from './levels.ts';
import { linkIn } from './marks.ts';
import { textsOf } from './texts.ts';

/** Mail by SMTP or `sendmail`, without HTTP address. The key is the password or in the recipient. */
export const MAIL: SenderFormat = {
  keys: [],
  keyForm: 'tk_',
  // Mail servers keep postponed mails.
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

/** A mail's relevant parts, plain data. Texts have any length and content. */
export interface Mail {
  readonly subject: string;
  readonly text: string;
  /** The HTML's first link, if the text comes from HTML. */
  readonly htmlLink: string | null;
  readonly hasAttachments: boolean;
  /** Addresses of To, Cc and Bcc. */
  readonly recipients: readonly string[];
  /** First values of header fields, by lower-case names. */
  readonly fields: Readonly<Partial<Record<MailField, string>>>;
}

export const MAIL_FIELDS = [
  ...(['message-id', 'date', 'auto-submitted'] as const),
  ...(['x-priority', 'importance', 'priority', 'x-msmail-priority'] as const),
] as const;
export type MailField = (typeof MAIL_FIELDS)[number];

/** Returns null without any text. `nowMs`: Unix time. */
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
 * Detects automatic replies (RFC 3834, section 5), which report nothing. Bounces are accepted: pushctl sends no mail,
 * so no loop forms.
 */
function isAutomaticReply({ 'auto-submitted': submitted = '' }: Mail['fields']): boolean {
  return /^\s*auto-replied\b/i.test(submitted);
}

const AUTOMATIC_REPLY: Reply = { status: 250, reply: 'Automatic replies are ignored.' };

export const MOST_RECIPIENTS = 10;

/** Returns a channel's slug: the recipient before `@` and `+`. */
export function channelIn(address: string): string {
  return /^[^@+]*/.exec(address.trim())?.[0] ?? '';
}

/**
 * Returns the key in `alerts+tk_…@push.example.com`, or alone before `@` for devices limited to 64 characters; empty:
 * none.
 */
export function keyIn(address: string): string {
  const [name = ''] = address.toLowerCase().split('@', 1);
  const tag = name.slice(name.lastIndexOf('+') + 1);
  return parseApiKey(tag) !== null || (tag !== name && isLikeApiKey(tag)) ? tag : '';
}

/** Returns the first weight, the finest field first: `1 (Highest)`, `high`. */
function weightIn(fields: Mail['fields']): Weight | undefined {
  const weights = (['x-priority', 'importance', 'priority', 'x-msmail-priority'] as const).map((name) => {
    const [word = ''] = (fields[name] ?? '').trim().split(/[\s(;]/, 1);
    return weightOf('mail', word);
  });
  return weights.find((weight) => weight !== undefined);
}

/** Returns the time of sending; null: missing, or a wrong clock. Mail servers give up after five days. */
function sentAt(date: string | undefined, nowMs: number): number | null {
  const sentMs = Date.parse((date ?? '').slice(0, LONGEST_DATE));
  const isLikely = sentMs > nowMs - OLDEST_MS && sentMs < nowMs + FAST_CLOCK_MS && sentMs <= LAST_MS;
  return isLikely ? sentMs : null; // NaN is neither
}

const LONGEST_DATE = 100;
const OLDEST_MS = 7 * 86_400_000;
const FAST_CLOCK_MS = 60_000;

/**
 * Returns the Message-ID with the mail's content. A server that gets no answer repeats both, while some devices use one
 * id for all their mails. Null: no Message-ID.
 */
function keyOf({ subject, text, fields: { 'message-id': id = '', date = '' } }: Mail): string | null {
  return id.trim() === '' ? null : `mail:${hash('sha256', JSON.stringify([id.trim(), date, subject, text]))}`;
}
