import type { JsonObject } from '../../values/json.ts';
import { Cutter, objectOf, scalarText, textOf } from './bodies.ts';
import { occurredAt, type Publication, type Reply, type SenderFormat, type SenderRequest } from './format.ts';
import { type Weight, weightOf, weightOfHue, weightOfIcon, weightOfText } from './levels.ts';
import { escaped, linkIn, plain } from './marks.ts';
import { textsOf, textsOfOther } from './texts.ts';

/**
 * Slack's incoming webhooks, and Mattermost's, which end in `/hooks/{key}`:
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks. The key determines the channel, whatever
 * the body asks for, as with theirs.
 */
export const SLACK: SenderFormat = {
  keys: [{ in: 'path' }],
  keyForm: 'pctl_',
  // Alertmanager retries this format only after a 5xx.
  retriesAfter429: false,
  addresses: [
    { methods: ['post'], path: '/{key}', act: { publish, answer: () => 'ok' } },
    { methods: ['post'], path: '/hooks/{key}', act: { publish, answer: () => 'ok' } },
  ],
  error: ({ message }) => message,
  configuration: ({ address, key }) => `${address}/${key}`,
};

async function publish({ body }: SenderRequest): Promise<Publication | Reply> {
  const message = body.fields;
  const lists = new Cutter(MOST_VALUES);
  const attachments = lists.objects('attachments', message.attachments, MOST);
  const inAttachments = attachments.flatMap((attachment) => textsInAttachment(attachment, lists));
  const all = [textOf(message.text), ...textsInBlocks(message.blocks, lists), ...inAttachments];
  const pieces = all.slice(0, MOST).map((piece) => piece.slice(0, LONGEST_PIECE));
  const texts = textsOf('', await textIn(pieces)) ?? textsOfOther(body);
  if (texts === null) return { status: 400, reply: body.json === undefined ? 'invalid_payload' : 'no_text' };
  const buttons = [message, ...attachments].flatMap(({ blocks }) => linksOfButtons(blocks, lists));
  const titles = attachments.map(({ title_link: link }) => textOf(link));
  const url = [...titles, ...pieces.map(linkIn), ...buttons].find(Boolean);
  const image = attachments.map(({ image_url: link }) => textOf(link)).find(Boolean);
  return {
    event: {
      ...texts,
      ...weightOfText(texts.title, weightIn(attachments) ?? weightOfIcon(textOf(message.icon_url))),
      ...(url && { url }),
      ...(image && { image_url: image }),
      ...occurredAt(attachments.map(timeOf)),
    },
    cut: lists.cut,
  };
}

/** The most attachments, blocks, texts, and all of them together: far more than is shown, yet quick to read. */
const MOST = 100;
const MOST_VALUES = 2_000;
const LONGEST_PIECE = 8_192;
const MOST_READ = 8_192;
const DEEPEST_BLOCK = 8;

/** https://docs.slack.dev/messaging/formatting-message-text/#attachments; `fallback` is for where nothing else is. */
function textsInAttachment(attachment: JsonObject, lists: Cutter): readonly string[] {
  const { pretext, title, text, fields, blocks, fallback } = attachment;
  const texts = [
    ...[pretext, title, text].map(textOf),
    ...textsInBlocks(blocks, lists),
    ...lists
      .objects('fields', fields, MOST)
      .map((field) => [field.title, field.value].map(scalarText).filter(Boolean).join(': ')),
  ].filter((piece) => piece.trim() !== '');
  return texts.length > 0 ? texts : [textOf(fallback)];
}

function textsInBlocks(blocks: unknown, lists: Cutter, depth = DEEPEST_BLOCK): readonly string[] {
  if (depth === 0) return [];
  return lists.objects('blocks', Array.isArray(blocks) ? blocks : [blocks], MOST).flatMap((block) => {
    const { type, text, fields, elements } = block;
    if (type === 'button') return [];
    if (INLINE.has(textOf(type))) return [lists.objects('blocks', elements, MOST).map(inlineText).join('')];
    if (typeof text === 'string') return [text];
    return [text, fields, elements].flatMap((inner) => textsInBlocks(inner, lists, depth - 1));
  });
}

/** Parts within one line. */
const INLINE = new Set(['rich_text_section', 'rich_text_preformatted', 'rich_text_quote']);

/**
 * Converts an element to Slack's text notation:
 * https://docs.slack.dev/reference/block-kit/blocks/rich-text-block#element-types
 */
function inlineText({ type, text, url, name, user_id: user, channel_id: channel, range, style }: JsonObject): string {
  const own = escaped(textOf(text));
  switch (type) {
    case 'link':
      return `<${textOf(url)}|${own}>`;
    case 'emoji':
      return `:${textOf(name)}:`;
    case 'user':
      return `<@${textOf(user)}>`;
    case 'channel':
      return `<#${textOf(channel)}>`;
    case 'broadcast':
      return `<!${textOf(range)}>`;
    default:
      return objectOf(style).code === true ? `\`${own}\`` : own;
  }
}

/** https://docs.slack.dev/reference/block-kit/blocks/actions-block: Uptime Kuma has no other link. */
function linksOfButtons(blocks: unknown, lists: Cutter): readonly string[] {
  const found = lists.objects('blocks', blocks, MOST);
  const elements = found.flatMap((block) => lists.objects('blocks', block.elements, MOST));
  return elements.filter(({ type }) => type === 'button').map(({ url }) => textOf(url));
}

/** Joins pieces without marks, each once: blocks often repeat the text. */
async function textIn(pieces: readonly string[]): Promise<string> {
  let text = '';
  let read = 0;
  for (const piece of pieces) {
    if (read > MOST_READ) break;
    read += piece.length;
    const added = (await plain(piece)).trim();
    if (text === '') text = added;
    else if (added !== '' && !`\n${text}\n`.includes(`\n${added}\n`)) text += `\n${added}`;
  }
  return text;
}

/**
 * Returns the attachment's Unix seconds, GitLab's of a pipeline's end.
 * https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments
 */
function timeOf({ ts }: JsonObject): number {
  return Math.round(Number(textOf(ts)) * 1_000);
}

/** The first colour that says something. */
function weightIn(attachments: readonly JsonObject[]): Weight | undefined {
  const colours = attachments.map(({ color }) => textOf(color));
  return colours.flatMap((colour) => weightOf('colour', colour) ?? weightOfHue(colour) ?? [])[0];
}
