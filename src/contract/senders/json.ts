import { fromTimestamp } from '../../values/timestamp.ts';
import { type Body, payloadIn, textOf } from './bodies.ts';
import type { Publication, SenderFormat, SenderRequest } from './format.ts';
import { type Weight, weightOf, weightOfText } from './levels.ts';
import { textsOf, textsOfOther } from './texts.ts';
import { occurredAt } from './times.ts';

/**
 * JSON of any program, as webhooks post it: the address says by patterns where each field of the event stands.
 * `?title={repository.name}: {action}&url=/repository/html_url`
 */
export const JSON_FIELDS: SenderFormat = {
  keys: [{ in: 'query', name: 'token', holds: 'key' }, { in: 'authorization' }],
  keyForm: 'pctl_',
  // Most of those that post webhooks try again after a 5xx alone, or never.
  retriesAfter429: false,
  addresses: [{ methods: ['post', 'put'], path: '/{channel}', act: { publish } }],
  error: ({ message }) => ({ message }),
  configuration: ({ address, channel, key }) =>
    [
      `URL: ${address}/${channel}?title={subject}&description={message}`,
      `Header: Authorization: Bearer ${key}`,
      `Where no header can be set, add to the URL: &token=${key}`,
    ].join('\n'),
};

function publish({ params, query, body: sent }: SenderRequest): Publication | null {
  const body = payloadIn(sent);
  const read = (name: string) => filled(query.get(name) ?? '', body.json).trim();
  const texts = textsOf(read('title'), read('description')) ?? textsOfOther(body);
  if (texts === null) return null;
  const [url, image, collapse] = ['url', 'image_url', 'collapse_key'].map(read);
  return {
    event: {
      channel: params.channel ?? '',
      ...texts,
      ...weightOfText(`${texts.title}\n${texts.description ?? ''}`, weightSaid(read('level')) ?? weightIn(body)),
      ...(url && { url }),
      ...(image && { image_url: image }),
      ...(collapse && { collapse_key: collapse }),
      ...occurredAt([fromTimestamp(read('occurred_at'))]),
    },
  };
}

/** Where the address does not say it: fields that mean the same in many programs. */
function weightIn({ object }: Body): Weight | undefined {
  const said = ['level', 'severity', 'status', 'state', 'type'].map((name) => weightSaid(textOf(object?.[name])));
  return said.find((weight) => weight !== undefined);
}

function weightSaid(word: string): Weight | undefined {
  const scales = ['severity', 'status', 'apprise', 'outcome'] as const;
  return scales.map((scale) => weightOf(scale, word)).find((weight) => weight !== undefined);
}

/** In a pattern, and of each: more than is ever shown, and not so much that a text is many times as long as its body. */
const MOST_NAMES = 10;
const LONGEST = 4_096;

/**
 * The text that a pattern has in a body. A pattern that begins with a slash is a JSON pointer (RFC 6901):
 * `/check/name`. Any other is a text with names of fields in braces, `{check.name} is {status}`, where a pointer may stand
 * as well. What is not there, or is no text and no number, is an empty text.
 */
function filled(pattern: string, body: unknown): string {
  if (pattern.startsWith('/')) return textAt(body, pattern);
  let left = MOST_NAMES;
  return pattern.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    left -= 1;
    return left < 0 ? '' : textAt(body, name.trim());
  });
}

function textAt(body: unknown, place: string): string {
  let value = body;
  for (const name of namesIn(place)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return '';
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return textOf(value).slice(0, LONGEST);
}

function namesIn(place: string): readonly string[] {
  if (!place.startsWith('/')) return place.split('.');
  const names = place.slice(1).split('/');
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}
