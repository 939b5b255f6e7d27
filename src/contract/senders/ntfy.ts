import { Body, Cutter, textOf } from './bodies.ts';
import { decodeWords } from './encoded-words.ts';
import type { AcceptedEvent, Account, Publication, SenderFormat, SenderRequest } from './format.ts';
import { PLAIN, type Weight, weightOf } from './levels.ts';
import { shorten, textsOf } from './texts.ts';

/**
 * ntfy, as of server 2.28: https://docs.ntfy.sh/publish/. What has no counterpart here is ignored: delay, actions but
 * for the link of one, attachments, icons, email, calls, templates, Markdown.
 */
export const NTFY: SenderFormat = {
  keys: [
    { in: 'query', name: 'auth', holds: 'authorization' },
    { in: 'query', name: 'authorization', holds: 'authorization' },
    { in: 'authorization' },
  ],
  keyForm: 'tk_',
  // Its own server answers so, and with these statuses.
  retriesAfter429: true,
  addresses: [
    { methods: ['post', 'put'], path: '/', act: { publish: (request) => publish(request, inJson) } },
    { methods: ['post', 'put'], path: '/{channel}', act: { publish: (request) => publish(request, inText) } },
    ...['publish', 'send', 'trigger'].map((verb) => ({
      methods: ['get' as const],
      path: `/{channel}/${verb}`,
      act: { publish: (request: SenderRequest) => publish(request, inText) },
    })),
    { methods: ['get'], path: '/v1/health', act: { tell: () => ({ healthy: true }) } },
    { methods: ['get'], path: '/v1/account', act: { describe: account } },
    { methods: ['post'], path: '/v1/account/token', act: { describe: ({ key }) => ({ token: key }) } },
  ],
  error: ({ status, message }) => ({
    code: CODES[status] ?? status * 100 + 1,
    http: status,
    error: message,
    link: 'https://docs.ntfy.sh/publish/',
  }),
  configuration: ({ address, channel, key }) =>
    [`Server: ${address}`, `Topic: ${channel}`, `Access token: ${key}`].join('\n'),
};

/** A message as both ways to publish have it. */
interface Message {
  readonly topic: string;
  readonly title: string;
  readonly message: string;
  readonly priority: string;
  readonly tags: readonly string[];
  readonly click: string;
  readonly sequenceId: string;
}

/** The codes of its errors: https://github.com/binwiederhier/ntfy/blob/main/server/errors.go */
const CODES: Readonly<Record<number, number>> = {
  400: 40024,
  401: 40101,
  403: 40301,
  404: 40401,
  413: 41303,
  429: 42901,
  500: 50001,
};

/** As its server has it for a message without any text. */
const NO_MESSAGE = 'triggered';
const MESSAGE_MAX = 4_096;
/** Of tags, and of actions. */
const MOST = 100;

async function publish(
  request: SenderRequest,
  read: (request: SenderRequest, lists: Cutter) => Message,
): Promise<Publication | null> {
  const lists = new Cutter(2 * MOST);
  const given = read(request, lists);
  const { topic, click, sequenceId } = given;
  const message = given.message.trim() === '' ? NO_MESSAGE : given.message.trim();
  const { emojis, others } = await sorted(given.tags);
  const texts = textsOf(given.title, others.length === 0 ? message : `${message}\n\nTags: ${others.join(', ')}`);
  if (texts === null) return null;
  return {
    event: {
      ...(topic !== '' && { channel: topic }),
      ...texts,
      title: [...emojis, texts.title].join(' '),
      ...weigh(given),
      ...(click !== '' && { url: click }),
      ...(sequenceId !== '' && { collapse_key: sequenceId }),
    },
    cut: lists.cut,
    answer: (accepted) => answer({ ...given, message }, accepted),
  };
}

/**
 * https://docs.ntfy.sh/publish/#publish-as-json. As its server has it, header fields and the query have what the body
 * leaves out: Apprise sends priority, tags and link there.
 */
function inJson(request: SenderRequest, lists: Cutter): Message {
  const body = request.body.object ?? {};
  const beside = inText({ ...request, body: new Body('') }, lists);
  const tags = lists.texts('tags', body.tags, MOST);
  // Where the first button leads that opens a page: Uptime Kuma and Healthchecks have no other link.
  const viewed = lists.objects('actions', body.actions, MOST).find(({ action }) => action === 'view')?.url;
  return {
    topic: textOf(body.topic),
    title: textOf(body.title) || beside.title,
    message: textOf(body.message) || beside.message,
    priority: textOf(body.priority) || beside.priority,
    tags: tags.length > 0 ? tags : beside.tags,
    click: textOf(body.click) || beside.click || textOf(viewed),
    sequenceId: textOf(body.sequence_id) || beside.sequenceId,
  };
}

/** The body is the message, header fields or the query have the rest: https://docs.ntfy.sh/publish/#list-of-all-parameters */
function inText(request: SenderRequest, lists: Cutter): Message {
  const { body, params } = request;
  const read = (...names: readonly string[]): string => parameter(request, names);
  const file = read('x-filename', 'filename', 'file', 'f');
  const described = read('x-message', 'message', 'm').replaceAll('\\n', '\n');
  const inBody = file === '' ? body.text : '';
  return {
    topic: params.channel ?? '',
    title: read('x-title', 'title', 't'),
    message: [inBody, described].find((text) => text.trim() !== '') ?? (file && `You received a file: ${file}`),
    priority: read('x-priority', 'priority', 'prio', 'p'),
    tags: lists.texts('tags', read('x-tags', 'tags', 'tag', 'ta').split(',', MOST + 1), MOST),
    click: read('x-click', 'click'),
    sequenceId: read('x-sequence-id', 'sequence-id', 'sid'),
  };
}

/** The first of these that a header field or the query has. A header field may be written in encoded words. */
function parameter({ header, query }: SenderRequest, names: readonly string[]): string {
  const inHeader = names.map((name) => decodeWords(header(name)).trim());
  return [...inHeader, ...names.map((name) => query.get(name)?.trim())].find(Boolean) ?? '';
}

/** Tags that tell how something is decide the level, the priority the urgency. */
function weigh({ priority, tags }: Message): Weight {
  const byPriority = weightOf('ntfy', priority) ?? PLAIN;
  const byTag = tags.flatMap((tag) => weightOf('tag', tag) ?? [])[0];
  return { ...byPriority, ...(byTag !== undefined && { level: byTag.level }) };
}

/** Short codes become emoji, as https://docs.ntfy.sh/publish/#tags-emojis has it. */
async function sorted(tags: readonly string[]): Promise<{ emojis: readonly string[]; others: readonly string[] }> {
  const trimmed = tags.map((tag) => tag.trim()).filter(Boolean);
  if (trimmed.length === 0) return { emojis: [], others: [] };
  // It takes 8 MB, which a server can do without to which nobody sends tags.
  const { nameToEmoji } = await import('gemoji');
  const emojiOf = (tag: string) => (Object.hasOwn(nameToEmoji, tag) ? nameToEmoji[tag] : undefined);
  return {
    emojis: trimmed.flatMap((tag) => emojiOf(tag) ?? []),
    others: trimmed.filter((tag) => emojiOf(tag) === undefined),
  };
}

/** https://docs.ntfy.sh/subscribe/api/#json-message-format */
function answer({ title, message, priority, tags, click }: Message, { event, channel, keptMs }: AcceptedEvent): object {
  const time = Math.floor(Date.parse(event.received_at) / 1_000);
  const number = numberOf(priority);
  return {
    id: event.public_id,
    time,
    expires: time + Math.floor(keptMs / 1_000),
    event: 'message',
    topic: channel,
    ...(title !== '' && { title: shorten(title, MESSAGE_MAX) }),
    message: shorten(message, MESSAGE_MAX),
    ...(number !== undefined && { priority: number }),
    ...(tags.length > 0 && { tags }),
    ...(click !== '' && { click }),
  };
}

const WORDS = ['min', 'low', 'default', 'high', 'max'];

/** 1 to 5, also as words; undefined: neither. */
function numberOf(priority: string): number | undefined {
  const word = priority.trim().toLowerCase();
  if (word === 'urgent') return 5;
  return /^[1-5]$/.test(word) ? Number(word) : WORDS.indexOf(word) + 1 || undefined;
}

/**
 * What Home Assistant asks for at set-up, before it asks for a token to keep: https://github.com/binwiederhier/ntfy/blob/main/server/types.go,
 * apiAccountResponse and apiAccountTokenResponse.
 */
function account({ name, events, allowance, keptMs }: Account): object {
  const messages = allowance ?? UNLIMITED;
  return {
    username: name,
    role: 'user',
    limits: {
      basis: 'tier',
      messages,
      messages_expiry_duration: Math.floor(keptMs / 1_000),
      emails: 0,
      calls: 0,
      reservations: 0,
      attachment_total_size: 0,
      attachment_file_size: 0,
      attachment_expiry_duration: 0,
      attachment_bandwidth: 0,
    },
    stats: {
      messages: events,
      messages_remaining: Math.max(0, messages - events),
      emails: 0,
      emails_remaining: 0,
      calls: 0,
      calls_remaining: 0,
      reservations: 0,
      reservations_remaining: 0,
      attachment_total_size: 0,
      attachment_total_size_remaining: 0,
    },
  };
}

/** Its clients want a number, and some of them one of 32 bits. */
const UNLIMITED = 2_147_483_647;
