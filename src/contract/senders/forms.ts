import { parse as parseForm } from 'node:querystring';
import type { JsonObject } from '../../values/json.ts';
import { decodeText } from '../../values/text.ts';

/** More than the forms of senders have. */
const MOST_FIELDS = 50;

export function isDeclaredForm(contentType: string): boolean {
  return /^\s*application\/x-www-form-urlencoded\b/i.test(contentType);
}

export function isDeclaredMultipart(contentType: string): boolean {
  return /^\s*multipart\/form-data\b/i.test(contentType);
}

/**
 * Detects real forms: `curl -d 'Disk full'` declares one too, and `curl -d 'title=Disk full'` leaves blanks unencoded.
 */
export function isLikeForm(text: string): boolean {
  return /^[^\s=&]{1,200}=/.test(text) && (!/\s/.test(text.trimEnd()) || KNOWN.test(text));
}

const KNOWN = /(?:^|&)(?:title|subject|summary|message|text|payload|data|topic)=/i;

/**
 * Parses a form's first fields, repeated ones as lists. URLSearchParams is quadratic: 64 KiB of `a&` 10 ms, 2 MiB 12 s.
 */
export function formFields(body: string, contentType = ''): JsonObject {
  const decode = (part: string) => decodePart(part, contentType);
  return { ...parseForm(body.trimEnd(), '&', '=', { maxKeys: MOST_FIELDS, decodeURIComponent: decode }) };
}

/** Decodes UTF-8 or the form's declared charset. */
function decodePart(part: string, contentType: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return decodeText(unescapedBytes(Buffer.from(part)), contentType);
  }
}

const PERCENT = 0x25;
/** Hex digits' values by character code; otherwise NaN. */
const DIGITS = Array.from({ length: 256 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16));

/** Unescapes in place. A pattern would take ten times as long for 64 KiB. */
function unescapedBytes(bytes: Buffer): Uint8Array {
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const escaped = byte === PERCENT ? 16 * digitAt(bytes, at + 1) + digitAt(bytes, at + 2) : Number.NaN;
    bytes[length] = Number.isNaN(escaped) ? byte : escaped;
    if (!Number.isNaN(escaped)) at += 2;
    length += 1;
  }
  return bytes.subarray(0, length);
}

function digitAt(bytes: Buffer, at: number): number {
  return DIGITS[bytes[at] ?? 0] ?? Number.NaN;
}

/** Returns the first text parts of multipart/form-data by name; null: none. */
export function multipartFields(bytes: Uint8Array, contentType: string): JsonObject | null {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const [, quoted, bare] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? bare ?? undeclaredBoundary(body);
  const fields = boundary === '' ? [] : partsOf(body, `--${boundary}`).flatMap(fieldIn);
  return fields.length === 0 ? null : Object.fromEntries(fields);
}

const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i;

function undeclaredBoundary(body: Buffer): string {
  return /^--([^\r\n]{1,200})\r?\n/.exec(body.toString('latin1', 0, 300))?.[1] ?? '';
}

function partsOf(body: Buffer, delimiter: string): readonly Buffer[] {
  const parts: Buffer[] = [];
  let start = body.indexOf(delimiter);
  while (start >= 0 && parts.length < MOST_FIELDS) {
    const end = body.indexOf(`\n${delimiter}`, start);
    parts.push(body.subarray(start + delimiter.length, end < 0 ? body.length : end));
    start = end < 0 ? end : end + 1;
  }
  return parts;
}

/** Returns a part's name and text; nothing for a file. */
function fieldIn(part: Buffer): readonly (readonly [name: string, text: string])[] {
  const begin = decodeText(part.subarray(0, LONGEST_HEAD));
  const [head] = HEAD.exec(begin) ?? [];
  const [, name] = NAME.exec(head ?? '') ?? [];
  if (head === undefined || name === undefined || /;\s*filename\*?\s*=/i.test(head)) return [];
  const text = part.subarray(Buffer.byteLength(head));
  const [, type = ''] = /^content-type:([^\r\n]*)/im.exec(head) ?? [];
  return [[name, decodeText(text, type).replace(/\r$/, '')]];
}

const LONGEST_HEAD = 2_048;
const HEAD = /^\s*(?:[!-9;-~]+:[^\n]*\n)+\r?\n/;
const NAME = /^content-disposition:[^\n]*?;\s*name\s*=\s*"?([^"\r\n;]{1,200})/im;
