import { fromTimestamp } from '../../timestamp.ts';
import { type Body, payloadIn, textOf } from './bodies.ts';
import { filled } from './field-patterns.ts';
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
