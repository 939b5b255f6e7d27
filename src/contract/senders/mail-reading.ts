/** The slow-loading mail parser, imported with the first mail. */
import { isUtf8 } from 'node:buffer';
import { finished } from 'node:stream/promises';
import { convert, type HtmlToTextOptions } from 'html-to-text';
import { type EmailAddress, type HeaderLines, MailParser, type MessageText } from 'mailparser';
import { decodeText } from '../../values/text.ts';
import { MAIL_FIELDS, type Mail, type MailField } from './mail.ts';

/**
 * Reads the texts of a mail, from its HTML if there is no other text. Skips attachments. Rejects more headers or parts
 * than any program sends. May take long, so it must not run on a thread that others share.
 */
export async function readMail(bytes: Uint8Array): Promise<Mail> {
  const parser = new MailParser({ skipHtmlToText: true, skipTextToHtml: true, checksumAlgo: false });
  let content: MessageText = { type: 'text' };
  let hasAttachments = false;
  parser.on('data', (part) => {
    if (part.type === 'text') content = part;
    else {
      hasAttachments = true;
      part.content.once('end', () => part.release?.()).resume();
    }
  });
  parser.end(withHead(inUtf8(bytes)));
  await finished(parser);
  const { text = '', html = '' } = content;
  const read = text.trim() === '' ? ofHtml(html) : { text, htmlLink: null };
  const recipients = [parser.to, parser.cc, parser.bcc].flat().flatMap((field) => addressesIn(field?.value ?? []));
  return {
    subject: parser.subject ?? '',
    ...read,
    hasAttachments,
    recipients,
    fields: fieldsOf(parser.headerLines || []),
  };
}

/** The parser takes addresses without a domain (`root`) for names. */
function addressesIn(list: readonly EmailAddress[]): readonly string[] {
  return list.flatMap(({ address, name, group }) => (group === undefined ? address || name : addressesIn(group)));
}

/** Converts umlauts without a declared charset, which parsers take for UTF-8. */
function inUtf8(bytes: Uint8Array): Uint8Array {
  const mail = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return isUtf8(mail) || /\bcharset\s*=/i.test(mail.toString('latin1')) ? mail : Buffer.from(decodeText(mail));
}

/** Adds a head. Mails of programs may begin with a mailbox line (`From root Mon Nov 23 …`) or directly with text. */
function withHead(bytes: Uint8Array): Buffer {
  const mail = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const begin = mail.subarray(0, LONGEST_LINE).toString('latin1');
  const [mailbox = ''] = /^>?From [^\n]*\n/.exec(begin) ?? [];
  const rest = mail.subarray(mailbox.length);
  return HEADER.test(begin.slice(mailbox.length)) ? rest : Buffer.concat([Buffer.from('\n'), rest]);
}

/** RFC 5322, section 2.1.1. */
const LONGEST_LINE = 998;
const HEADER = /^(?:[!-9;-~]+[ \t]*:|\r?\n)/;

function fieldsOf(lines: HeaderLines): Mail['fields'] {
  const fields: Partial<Record<MailField, string>> = {};
  for (const { key, line } of lines) {
    const name = MAIL_FIELDS.find((field) => field === key);
    if (name !== undefined) fields[name] ??= line.slice(line.indexOf(':') + 1).trim();
  }
  return fields;
}

/** Bounded, as 1,000 characters are shown of it. */
const HTML_UNITS = 65_536;
const SHOWN: HtmlToTextOptions = {
  wordwrap: false,
  formatters: {
    cell: (element, walk, builder) => {
      walk(element.children, builder);
      builder.addInline(' ');
    },
  },
  limits: { maxDepth: 100, maxChildNodes: 2_000, ellipsis: '…' },
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
};

function ofHtml(whole: string): Pick<Mail, 'text' | 'htmlLink'> {
  const html = whole.slice(0, HTML_UNITS);
  const [, href] = LINK.exec(html) ?? [];
  return { text: convert(html, SHOWN), htmlLink: href?.replaceAll('&amp;', '&') ?? null };
}

const LINK = /<a\b(?=[^<>]*?\bhref\s*=\s*["']?(https?:\/\/[^\s"'<>]+))/i;
