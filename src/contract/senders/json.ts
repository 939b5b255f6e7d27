import { fromTimestamp } from '../../values/timestamp.ts';
import type { Body } from './bodies.ts';
import type { Publication, Reply, SenderFormat, SenderRequest } from './format.ts';
import { type Weight, weightOfText, weightOfWord } from './levels.ts';
import { type Filled, filled, textWithAllFields, textWithAnyField } from './patterns.ts';
import { textOf } from './scalars.ts';
import { knownText, type Texts, textsOf, textsOfOther } from './texts.ts';
import { occurredAt } from './times.ts';

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
