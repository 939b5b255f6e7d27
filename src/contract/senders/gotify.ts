import { isJsonObject, type JsonObject } from '../../values/json.ts';
import { inAnyCase, isShallow, objectOf, textOf } from './bodies.ts';
import type { AcceptedEvent, Publication, SenderFormat, SenderRequest } from './format.ts';
import { weightOf, weightOfText } from './levels.ts';
import { linkIn, plainMarkdown } from './marks.ts';
import { shorten, textsOf, textsOfOther } from './texts.ts';

/** Gotify, server 2.6: https://gotify.net/docs/pushmsg. The key determines the channel. */
export const GOTIFY: SenderFormat = {
  keys: [{ in: 'query', name: 'token', holds: 'key' }, { in: 'header', name: 'x-gotify-key' }, { in: 'authorization' }],
  keyForm: 'gtfya.',
  // Gotify has no such limit, so senders cannot handle 429.
  retriesAfter429: false,
  addresses: [
    { methods: ['post'], path: '/message', act: { publish, answer } },
    { methods: ['get'], path: '/health', act: { answer: () => ({ health: 'green', database: 'green' }) } },
    { methods: ['get'], path: '/version', act: { answer: () => VERSION } },
  ],
  error: ({ status, reason, message }) => ({
    error: reason,
    errorCode: status,
    errorDescription: message,
  }),
  configuration: ({ address, key }) => [`Server URL: ${address}`, `Application token: ${key}`].join('\n'),
};

/** The original server's version, which some senders check. */
const VERSION = { version: '2.6.3', commit: 'unknown', buildDate: 'unknown' };

/** https://github.com/gotify/server/blob/master/model/message.go */
async function publish(request: SenderRequest): Promise<Publication | null> {
  const fields = fieldsOf(request);
  const title = textOf(fields.title);
  const message = textOf(fields.message);
  const texts = textsOf(title, await shown(message, fields)) ?? textsOfOther(request.body);
  if (texts === null) return null;
  const { click, bigImageUrl } = objectOf(objectOf(fields.extras)['client::notification']);
  const link = isMarkdown(fields) ? linkIn(message.slice(0, LINK_WITHIN)) : undefined;
  const [url, image] = [textOf(objectOf(click).url) || link, textOf(bigImageUrl)];
  return {
    event: {
      ...texts,
      ...weightOfText(`${title}\n${message}`, weightOf('gotify', scaleOf(fields.priority))),
      ...(url && { url }),
      ...(image !== '' && { image_url: image }),
    },
    repeated: {
      title: shorten(title, MOST_REPEATED),
      message: shorten(message, MOST_REPEATED),
      priority: Number(textOf(fields.priority)) || 0,
      ...(isRepeatable(fields.extras) && { extras: fields.extras }),
    },
  };
}

/** Gotify takes any number; apps treat more than 10 as 10. */
function scaleOf(priority: unknown): string {
  const text = textOf(priority);
  return Number(text) > 10 ? '10' : text;
}

/** Joins query and body. A body without fields is the message. */
function fieldsOf({ body, query }: SenderRequest): JsonObject {
  const inBody = body.object === null && body.hasContent ? { message: body.readable } : body.fields;
  return { ...inAnyCase(Object.fromEntries(query)), ...inBody };
}

/** Removes Markdown. Proxmox VE fences the whole text, which then has no marks. */
async function shown(message: string, fields: JsonObject): Promise<string> {
  const text = message.trim();
  const inner = text.startsWith(FENCE) && text.endsWith(FENCE) ? text.slice(FENCE.length, -FENCE.length) : '';
  if (inner !== '' && !inner.includes(FENCE)) return inner;
  return isMarkdown(fields) ? plainMarkdown(text) : text;
}

function isMarkdown({ extras }: JsonObject): boolean {
  return textOf(objectOf(objectOf(extras)['client::display']).contentType) === 'text/markdown';
}

/** Links vanish with the marks, so a tap opens them. */
const LINK_WITHIN = 8_192;

const FENCE = '```';

/** The answer omits larger ones, which no sender reads. */
const MOST_REPEATED = 4_096;

function isRepeatable(extras: unknown): boolean {
  return isJsonObject(extras) && isShallow(extras, 8) && JSON.stringify(extras).length <= MOST_REPEATED;
}

function answer({ event }: AcceptedEvent, repeated: JsonObject): object {
  return {
    // A number, like Gotify's: our last 48 bits, which are random.
    id: Number.parseInt(event.event_uuid.slice(-12), 16),
    appid: 1,
    ...repeated,
    date: event.received_at,
  };
}
