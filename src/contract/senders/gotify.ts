import { isJsonObject, type JsonObject } from '../../values/json.ts';
import { inAnyCase, isShallow, objectOf } from './bodies.ts';
import type { AcceptedEvent, Publication, SenderFormat, SenderRequest } from './format.ts';
import { weightOf, weightOfText } from './levels.ts';
import { linkIn, plainMarkdown } from './marks.ts';
import { textOf } from './scalars.ts';
import { shorten, textsOf, textsOfOther } from './texts.ts';

/** Gotify, as of server 2.6: https://gotify.net/docs/pushmsg. Its addresses name no channel: that is the key's. */
export const GOTIFY: SenderFormat = {
  keys: [{ in: 'query', name: 'token', holds: 'key' }, { in: 'header', name: 'x-gotify-key' }, { in: 'authorization' }],
  keyForm: 'gtfya.',
  // Its own server has no such limit, so its senders know none.
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

/** The version of the original server, since some senders check it. */
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

/** Gotify accepts any number. Its apps treat those above 10 as 10. */
function scaleOf(priority: unknown): string {
  const text = textOf(priority);
  return Number(text) > 10 ? '10' : text;
}

/** Joins the fields of the query and of the body. A body without fields is the message itself. */
function fieldsOf({ body, query }: SenderRequest): JsonObject {
  const inBody = body.object === null && body.hasContent ? { message: body.readable } : body.fields;
  return { ...inAnyCase(Object.fromEntries(query)), ...inBody };
}

/** The message without marks of Markdown. Proxmox VE puts a fence around the whole text, in which there are none. */
async function shown(message: string, fields: JsonObject): Promise<string> {
  const text = message.trim();
  const inner = text.startsWith(FENCE) && text.endsWith(FENCE) ? text.slice(FENCE.length, -FENCE.length) : '';
  if (inner !== '' && !inner.includes(FENCE)) return inner;
  return isMarkdown(fields) ? plainMarkdown(text) : text;
}

function isMarkdown({ extras }: JsonObject): boolean {
  return textOf(objectOf(objectOf(extras)['client::display']).contentType) === 'text/markdown';
}

/** Without marks a link is seen nowhere, so a tap leads there. */
const LINK_WITHIN = 8_192;

const FENCE = '```';

/** Larger ones are not in the answer, which no sender reads that far. */
const MOST_REPEATED = 4_096;

function isRepeatable(extras: unknown): boolean {
  return isJsonObject(extras) && isShallow(extras, 8) && JSON.stringify(extras).length <= MOST_REPEATED;
}

function answer({ event }: AcceptedEvent, repeated: JsonObject): object {
  return {
    // A number there: the last 48 bits of ours, which are random.
    id: Number.parseInt(event.event_uuid.slice(-12), 16),
    appid: 1,
    ...repeated,
    date: event.received_at,
  };
}
