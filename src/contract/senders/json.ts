import { fromTimestamp } from '../../values/timestamp.ts';
import { type Body, scalarText, textOf } from './bodies.ts';
import { occurredAt, type Publication, type Reply, type SenderFormat, type SenderRequest } from './format.ts';
import { type Weight, weightOfText, weightOfWord } from './levels.ts';
import { knownText, type Texts, textsOf, textsOfOther } from './texts.ts';

/**
 * JSON webhooks of any program. Patterns in the address select fields: `?title={repository.name}:
 * {action}&url=/repository/html_url`
 */
export const JSON_FIELDS: SenderFormat = {
  keys: [{ in: 'query', name: 'token', holds: 'key' }, { in: 'authorization' }],
  keyForm: 'pctl_',
  // Most webhooks retry only after a 5xx, or never.
  retriesAfter429: false,
  addresses: [{ methods: ['post', 'put'], path: '/{channel}', act: { publish } }],
  error: ({ message }) => ({ message }),
  configuration: ({ address, channel, key }) =>
    [
      `URL: ${address}/${channel}?title={subject}&description={message}`,
      `Header: Authorization: Bearer ${key}`,
      `If you cannot set a header, add to the URL: &token=${key}`,
    ].join('\n'),
};

function publish({ params, query, body }: SenderRequest): Publication | Reply | null {
  if (!isWanted(query, body)) return UNWANTED;
  const fill = (name: string) => filled(query.get(name) ?? '', body.json);
  const read = (name: string) => textWithAnyField(fill(name));
  const texts = textsIn(body, fill('title'), fill('description'));
  if (texts === null) return null;
  const [url, image] = ['url', 'image_url'].map(read);
  // An incomplete key could merge many hosts.
  const collapse = textWithAllFields(fill('collapse_key'));
  return {
    event: {
      channel: params.channel ?? '',
      ...texts,
      ...weightOfText(`${texts.title}\n${texts.description ?? ''}`, weightOfWord(read('level')) ?? weightIn(body)),
      ...(url && { url }),
      ...(image && { image_url: image }),
      ...(collapse && { collapse_key: collapse }),
      ...occurredAt([fromTimestamp(read('occurred_at'))]),
    },
    ...(hasAttachments(body) && { cut: ['attachment'] }),
  };
}

/** Apprise puts files into a list. */
function hasAttachments({ fields: { attachments } }: Body): boolean {
  return Array.isArray(attachments) && attachments.length > 0;
}

/** Returns the patterns' texts. If a pattern finds none of its fields, the body is shown without that pattern. */
function textsIn(body: Body, title: Filled, description: Filled): Texts | null {
  const [headline, text] = [textWithAnyField(title), textWithAnyField(description)];
  const isLost = text === '' && description.missing > 0;
  if (headline === '' || !isLost) return textsOf(headline, text) ?? textsOfOther(body);
  const known = knownText(body) || (title.found === 0 ? body.readable : '');
  return textsOf(headline, known.trim() === headline ? '' : known);
}

/** Reads usual level fields. Apprise's default type means none. */
function weightIn({ fields }: Body): Weight | undefined {
  const words = ['level', 'severity', 'status', 'state'].map((name) => textOf(fields[name]));
  const type = textOf(fields.type);
  return [...words, type === 'info' ? '' : type].map(weightOfWord).find((weight) => weight !== undefined);
}

/**
 * Checks each `only`: a pattern, then `=` and values in any case. Non-JSON bodies and incomplete conditions pass: no
 * mistake loses an alert.
 */
function isWanted(query: URLSearchParams, body: Body): boolean {
  if (body.json === undefined) return true;
  return query.getAll('only').every((only) => {
    const [, pattern = '', list] = /^((?:\{[^{}]*\}|[^={}])*)=(.*)$/s.exec(only.slice(0, LONGEST_ONLY)) ?? [];
    const { text, found, missing } = filled(pattern, body.json);
    if (list === undefined || found + missing === 0) return true;
    const values = list.split(',').map((value) => value.trim().toLowerCase());
    return values.every((value) => value === '') || values.includes(text.toLowerCase());
  });
}

const LONGEST_ONLY = 4_096;
const UNWANTED: Reply = { status: 200, reply: { event: null, message: 'The address accepts other kinds of posts.' } };

interface Filled {
  readonly text: string;
  /** How many of its fields the body has, and how many it lacks. */
  readonly found: number;
  readonly missing: number;
}

/**
 * The most names in a pattern, and the length of each value. More than this is never shown, and no text gets many times
 * as long as its body.
 */
const MOST_NAMES = 10;
const LONGEST = 4_096;

/**
 * Fills a pattern: a JSON pointer (RFC 6901) such as `/check/name`, or text with names or pointers in braces,
 * `{check.name} is {status}`. Empty values, lists and objects count as missing.
 */
function filled(pattern: string, body: unknown): Filled {
  let [found, missing] = [0, 0];
  const valueAt = (place: string): string => {
    const value = found + missing < MOST_NAMES ? textAt(body, place.trim()) : '';
    if (value.trim() === '') missing += 1;
    else found += 1;
    return value;
  };
  const text = pattern.startsWith('/')
    ? valueAt(pattern)
    : pattern.replaceAll(/\{([^{}]*)\}/g, (_, place: string) => valueAt(place));
  return { text: text.trim(), found, missing };
}

/** Returns the text; empty if none of its fields is found. */
function textWithAnyField({ text, found, missing }: Filled): string {
  return found > 0 || missing === 0 ? text : '';
}

/** Returns the text; empty if any field is missing. */
function textWithAllFields({ text, missing }: Filled): string {
  return missing === 0 ? text : '';
}

function textAt(body: unknown, place: string): string {
  let value = body;
  for (const name of namesIn(place)) {
    if (typeof value !== 'object' || value === null) return '';
    const own = Object.hasOwn(value, name) ? name : inOtherCase(value, name);
    if (own === undefined) return '';
    value = (value as Readonly<Record<string, unknown>>)[own];
  }
  return scalarText(value).slice(0, LONGEST);
}

/** Finds a field's own name: programs write any case. */
function inOtherCase(value: object, name: string): string | undefined {
  const known = NAMES.get(value) ?? namesByLowerCase(value);
  NAMES.set(value, known);
  return known.get(name.toLowerCase());
}

function namesByLowerCase(value: object): ReadonlyMap<string, string> {
  const names = Object.keys(value).slice(0, MOST_COMPARED);
  return new Map(names.reverse().map((name) => [name.toLowerCase(), name]));
}

/** Caches searched objects' names: listing large ones takes a millisecond. */
const NAMES = new WeakMap<object, ReadonlyMap<string, string>>();
/** More than a program has in one object. */
const MOST_COMPARED = 200;

function namesIn(place: string): readonly string[] {
  if (!place.startsWith('/')) return place.split('.');
  const names = place.slice(1).split('/');
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}
