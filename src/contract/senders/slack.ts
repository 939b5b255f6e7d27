import { type JsonObject, jsonObject, objectsIn, textOf } from './bodies.ts';
import type { Publication, SenderFormat, SenderRequest } from './format.ts';
import { PLAIN, type Weight, weightOf, weightOfHue } from './levels.ts';
import { textsOf, textsOfOther } from './texts.ts';
import { occurredAt } from './times.ts';

/**
 * Slack's incoming webhooks, and Mattermost's, which end in `/hooks/{key}`:
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks. The channel is the key's, whatever the body
 * asks for, as with theirs.
 */
export const SLACK: SenderFormat = {
  keys: [{ in: 'path' }],
  keyForm: 'pctl_',
  // Alertmanager's sender of this format tries again after a 5xx alone.
  retriesAfter429: false,
  addresses: [
    { methods: ['post'], path: '/{key}', act: { publish } },
    { methods: ['post'], path: '/hooks/{key}', act: { publish } },
  ],
  error: ({ message }) => message,
  configuration: ({ address, key }) => `${address}/${key}`,
};

function publish({ body }: SenderRequest): Publication | null {
  const payload = payloadIn(body);
  const message = jsonObject(payload) ?? {};
  const attachments = objectsIn(message.attachments);
  const pieces = [textOf(message.text), ...textsInBlocks(message.blocks), ...attachments.flatMap(textsInAttachment)];
  const cut = pieces.slice(0, MOST_PIECES).map((piece) => piece.slice(0, LONGEST_PIECE));
  const told = cut.map(plain).reduce(withNew, '');
  const texts = textsOf('', told) ?? textsOfOther(payload);
  if (texts === null) return null;
  const buttons = [message, ...attachments].flatMap(({ blocks }) => linksOfButtons(blocks));
  const titles = attachments.map(({ title_link: link }) => textOf(link));
  const url = [...titles, ...cut.map(linkIn), ...buttons].find(Boolean);
  const image = attachments.map(({ image_url: one }) => textOf(one)).find(Boolean);
  return {
    event: {
      ...texts,
      ...weightIn(attachments),
      ...(url && { url }),
      ...(image && { image_url: image }),
      ...occurredAt(attachments.map(timeOf)),
    },
    answer: () => 'ok',
  };
}

/** Far more than is shown, and not so much that reading it takes long. */
const MOST_PIECES = 100;
const LONGEST_PIECE = 8_192;
const DEEPEST_BLOCK = 8;

/** The JSON itself, or the field `payload` of a form that holds it. */
function payloadIn(body: string): string {
  return jsonObject(body) === null ? (new URLSearchParams(body).get('payload') ?? body) : body;
}

/** https://docs.slack.dev/messaging/formatting-message-text/#attachments; `fallback` is for where nothing else is. */
function textsInAttachment(attachment: JsonObject): readonly string[] {
  const { pretext, title, text, fields, blocks, fallback } = attachment;
  const texts = [
    ...[pretext, title, text].map(textOf),
    ...textsInBlocks(blocks),
    ...objectsIn(fields).map((field) => [field.title, field.value].map(textOf).filter(Boolean).join(': ')),
  ].filter((one) => one.trim() !== '');
  return texts.length > 0 ? texts : [textOf(fallback)];
}

/** The texts of headers, sections and whatever else has some, in their order. */
function textsInBlocks(blocks: unknown, depth = DEEPEST_BLOCK): readonly string[] {
  if (depth === 0) return [];
  return (Array.isArray(blocks) ? objectsIn(blocks) : objectsIn([blocks])).flatMap((block) => {
    const { type, text, fields, elements } = block;
    if (type === 'button') return [];
    if (typeof text === 'string') return [text];
    return [text, fields, elements].flatMap((inner) => textsInBlocks(inner, depth - 1));
  });
}

/** https://docs.slack.dev/reference/block-kit/blocks/actions-block: Uptime Kuma has no other link. */
function linksOfButtons(blocks: unknown): readonly string[] {
  const elements = objectsIn(blocks).flatMap((block) => objectsIn(block.elements));
  return elements.filter(({ type }) => type === 'button').map(({ url }) => textOf(url));
}

/** With what is not in it yet: programs say in blocks what their text has said. */
function withNew(told: string, piece: string): string {
  const added = piece.trim();
  if (told === '') return added;
  const isTold = added === '' || `\n${told}\n`.includes(`\n${added}\n`);
  return isTold || told.length > LONGEST_PIECE ? told : `${told}\n${added}`;
}

/** Without Slack's marks: https://docs.slack.dev/messaging/formatting-message-text */
function plain(text: string): string {
  return text
    .replaceAll(/<(?:https?:|mailto:)[^|<>]*\|([^<>]*)>/g, '$1')
    .replaceAll(/<((?:https?:|mailto:)[^|<>]*)>/g, '$1')
    .replaceAll(/<!(here|channel|everyone)(?:\|[^<>]*)?>/g, '@$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function linkIn(text: string): string | undefined {
  return /<(https?:[^|<>]*)(?:\|[^<>]*)?>/.exec(text)?.[1]?.replaceAll('&amp;', '&');
}

/**
 * Unix seconds of what the attachment is about: GitLab's of the end of a pipeline.
 * https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments
 */
function timeOf({ ts }: JsonObject): number {
  return Math.round(Number(textOf(ts)) * 1_000);
}

/** The first colour that says something. */
function weightIn(attachments: readonly JsonObject[]): Weight {
  const colours = attachments.map(({ color }) => textOf(color));
  return colours.flatMap((colour) => weightOf('colour', colour) ?? weightOfHue(colour) ?? [])[0] ?? PLAIN;
}
