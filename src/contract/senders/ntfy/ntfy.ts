import type { JsonObject } from '../../../values/json.ts';
import { toTimestamp } from '../../../values/timestamp.ts';
import { Cutter, inAnyCase, textOf } from '../bodies.ts';
import type { AcceptedEvent, Publication, Reply, SenderAddress, SenderFormat, SenderRequest } from '../format.ts';
import { type Weight, weightOf, weightOfIcon, weightOfText } from '../levels.ts';
import { emojiByName, linkIn, plainMarkdown } from '../marks.ts';
import { shorten, textsOf } from '../texts.ts';
import { account } from './account.ts';
import { actionsIn } from './actions.ts';
import { delayedUntil } from './delay.ts';
import { decodeWords } from './encoded-words.ts';
import {
  CODES,
  errorOf,
  NO_DELAY,
  NO_NAMED_TEMPLATES,
  NO_SUBSCRIBING,
  NO_TEMPLATES,
  NOT_FOUND,
  TOO_LATE,
} from './errors.ts';

/**
 * ntfy, as of server 2.28: https://docs.ntfy.sh/publish/. What would not be the message without what is missing here
 * (templates) is refused as its server refuses what it does not offer; what else has no counterpart, such as files, is
 * named and left out.
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
    { methods: ['post', 'put'], path: '/', act: { publish: (request) => publish(request, inJson), answer } },
    {
      methods: ['post', 'put'],
      path: '/{channel}',
      act: {
        publish: (request) => publish(request, inText),
        isTextAlone,
        answer,
      },
    },
    ...['publish', 'send', 'trigger'].map((verb) => ({
      methods: ['get', 'post', 'put'] as const,
      path: `/{channel}/${verb}`,
      act: { publish: (request: SenderRequest) => publish(request, inText), isTextAlone, answer },
    })),
    ...['json', 'sse', 'raw', 'ws', 'auth'].flatMap((way) => [
      ...sequenceAddresses(way),
      { methods: ['get' as const], path: `/{channel}/${way}`, act: { refuse: () => NO_SUBSCRIBING } },
    ]),
    { methods: ['get'], path: '/v1/health', act: { answer: () => ({ healthy: true }) } },
    { methods: ['get'], path: '/v1/account', act: { describe: account } },
    { methods: ['post'], path: '/v1/account/token', act: { describe: ({ key }) => ({ token: key }) } },
    // Behind all addresses that they fit as well.
    ...sequenceAddresses('{sequence}'),
    { methods: ['get'], path: '/{channel}/{sequence}', act: { refuse: () => NOT_FOUND } },
  ],
  error: ({ status, message }) => errorOf(CODES[status] ?? status * 100 + 1, message),
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
  /** Where a tap leads. */
  readonly click: string;
  readonly image: string;
  readonly sequenceId: string;
  /** When it is to be sent. */
  readonly delay: string;
  /** The address of one. */
  readonly icon: string;
  /** The names of what has no counterpart. */
  readonly unkept: readonly string[];
}

/**
 * https://docs.ntfy.sh/publish/#updating-deleting-notifications. A message of the same sequence takes the place of the
 * one before. `place`: also a name by which one subscribes there, which is a sequence like any other here.
 */
function sequenceAddresses(place: string): readonly SenderAddress[] {
  const path = `/{channel}/${place}`;
  const named = (request: SenderRequest) => ({ ...request, params: { sequence: place, ...request.params } });
  const end = (event: string) => ({
    publish: (request: SenderRequest) => withdrawn(named(request), event),
    isTextAlone: () => true,
  });
  return [
    {
      methods: ['post', 'put'],
      path,
      act: { publish: (request) => publish(named(request), inText), isTextAlone, answer },
    },
    { methods: ['delete'], path, act: end('message_delete') },
    ...['clear', 'read'].map(
      (verb): SenderAddress => ({
        methods: ['post', 'put'],
        path: `${path}/${verb}`,
        act: end('message_clear'),
      }),
    ),
  ];
}

/** Nothing is taken from devices: what is scheduled is cancelled, and the alert resolved. */
function withdrawn({ params: { channel = '', sequence = '' }, nowMs }: SenderRequest, event: string): Reply {
  const time = Math.floor(nowMs / 1_000);
  const reply = { id: sequence, time, event, topic: channel, sequence_id: sequence };
  return { status: 200, reply, change: { kind: 'withdraw', channel, collapseKey: sequence } };
}

/** What says that the message is itself a template; anything else is the name of one. */
const INLINE = new Set(['yes', 'true', '1', 'no', 'false', '0']);

const LONGEST_DELAY_MS = 30 * 86_400_000;
/** As its server has it for a message without any text. */
const NO_MESSAGE = 'triggered';
const MESSAGE_MAX = 4_096;
/** Of tags, and of actions. */
const MOST = 100;

/** What has no counterpart, by what it is called in JSON, with its names in the header and the query. */
const UNKEPT: Readonly<Record<string, readonly string[]>> = {
  icon: ['x-icon', 'icon'],
  email: ['x-email', 'x-e-mail', 'email', 'e-mail', 'mail', 'e'],
  call: ['x-call', 'call'],
  markdown: ['x-markdown', 'markdown', 'md'],
  cache: ['x-cache', 'cache'],
  firebase: ['x-firebase', 'firebase'],
  unifiedpush: ['x-unifiedpush', 'unifiedpush', 'up'],
  poll_id: ['x-poll-id', 'poll-id'],
};

async function publish(
  request: SenderRequest,
  read: (request: SenderRequest, lists: Cutter) => Message | Reply,
): Promise<Publication | Reply | null> {
  const lists = new Cutter(3 * MOST);
  const given = read(request, lists);
  if ('reply' in given) return given;
  const { topic, image, sequenceId, delay, unkept } = given;
  const sendAtMs = delay === '' ? null : delayedUntil(delay, request.nowMs);
  if (delay !== '' && (sendAtMs === null || sendAtMs < request.nowMs)) return NO_DELAY;
  if (sendAtMs !== null && sendAtMs > request.nowMs + LONGEST_DELAY_MS) return TOO_LATE;
  const message = given.message.trim() === '' ? NO_MESSAGE : given.message.trim();
  const isMarked = unkept.includes('markdown') || /^\s*text\/markdown\b/i.test(request.header('content-type'));
  const shown = isMarked ? await plainMarkdown(message) : message;
  const click = given.click || (isMarked && linkIn(message.slice(0, MESSAGE_MAX)));
  const { emojis, others } = await sorted(given.tags);
  const texts = textsOf(given.title, others.length === 0 ? shown : `${shown}\n\nTags: ${others.join(', ')}`);
  if (texts === null) return null;
  return {
    event: {
      ...(topic !== '' && { channel: topic }),
      ...texts,
      title: [...emojis, texts.title].join(' '),
      ...weigh(given),
      ...(click && { url: click }),
      ...(image !== '' && { image_url: image }),
      ...(sequenceId !== '' && { collapse_key: sequenceId }),
      ...(sendAtMs !== null && { send_at: toTimestamp(sendAtMs) }),
    },
    cut: [...new Set([...lists.cut, ...unkept])],
    repeated: repeatedOf({ ...given, message }, sendAtMs),
  };
}

/**
 * https://docs.ntfy.sh/publish/#publish-as-json. As its server has it, header fields and the query have what the body
 * leaves out: Apprise sends priority, tags and link there. Its server refuses what is no JSON; here that is the message.
 */
function inJson(request: SenderRequest, lists: Cutter): Message | Reply {
  const { body: whole } = request;
  const body = whole.object === null && whole.saysSomething ? { message: whole.readable } : whole.fields;
  const beside = besideText(request, lists);
  if ('reply' in beside) return beside;
  const tags = lists.texts('tags', listOf(body.tags), MOST);
  const { click, ...linked } = linkedBy(
    textOf(body.click) || beside.click,
    typeof body.actions === 'string'
      ? actionsIn(body.actions, lists, MOST)
      : lists.objects('actions', body.actions, MOST).map(inAnyCase),
  );
  const attached = attachedBy(textOf(body.attach), textOf(body.filename));
  const unkept = Object.keys(UNKEPT).filter((name) => body[name] === true || textOf(body[name]) !== '');
  return {
    topic: beside.topic || textOf(body.topic),
    title: textOf(body.title) || beside.title,
    message: textOf(body.message) || beside.message || attached.message,
    priority: textOf(body.priority) || beside.priority,
    tags: tags.length > 0 ? tags : beside.tags,
    click,
    image: attached.image || beside.image,
    sequenceId: request.params.sequence ?? (textOf(body.sequence_id) || beside.sequenceId),
    delay: textOf(body.delay) || beside.delay,
    icon: textOf(body.icon) || beside.icon,
    unkept: [...beside.unkept, ...linked.unkept, ...attached.unkept, ...unkept],
  };
}

/** A form has a list as a text, as the header has it. */
function listOf(given: unknown): unknown {
  return typeof given === 'string' ? given.split(',', MOST + 1) : given;
}

/** What is declared to have fields, and has a message, is no text. */
function hasFields({ header, body }: SenderRequest): boolean {
  return FIELDS.test(header('content-type')) && textOf(body.fields.message).trim() !== '';
}

/** Of a form the beginning is enough, as of a text: `curl -d` declares a form, whatever it posts. */
const FIELDS = /^\s*(?:application\/json|application\/x-www-form-urlencoded|multipart\/form-data)\b/i;
const WHOLE = /^\s*(?:application\/json|multipart\/form-data)\b/i;

function isTextAlone({ header }: SenderRequest): boolean {
  return !WHOLE.test(header('content-type'));
}

/** The body is the message, header fields or the query have the rest: https://docs.ntfy.sh/publish/#list-of-all-parameters */
function inText(request: SenderRequest, lists: Cutter): Message | Reply {
  if (hasFields(request)) return inJson(request, lists);
  const beside = besideText(request, lists);
  if ('reply' in beside) return beside;
  const { text } = request.body;
  // A body with a name is a file, and so is one that is no text.
  if (beside.isFile) return beside;
  if (text.includes('\0')) {
    const { message, unkept } = attachedBy('', 'attachment');
    return { ...beside, message: beside.message || message, unkept: [...beside.unkept, ...unkept] };
  }
  if (text.trim() === '') return beside;
  const isPlain = !/^\s*[[{]/.test(text) && isTextAlone(request);
  return { ...beside, message: isPlain ? text : request.body.readable };
}

/** What header fields and the query have. `isFile`: it is a file's name that they have, and nowhere to find it. */
function besideText(request: SenderRequest, lists: Cutter): (Message & { readonly isFile: boolean }) | Reply {
  const read = (...names: readonly string[]): string => parameter(request, names);
  const template = read('x-template', 'template', 'tpl').toLowerCase();
  if (template !== '') return INLINE.has(template) ? NO_TEMPLATES : NO_NAMED_TEMPLATES;
  const file = read('x-filename', 'filename', 'file', 'f');
  const attach = read('x-attach', 'attach', 'a');
  const attached = attachedBy(attach, file);
  const linked = linkedBy(read('x-click', 'click'), actionsIn(read('x-actions', 'actions', 'action'), lists, MOST));
  const unkept = Object.entries(UNKEPT).flatMap(([name, names]) => (read(...names) === '' ? [] : [name]));
  return {
    topic: request.params.channel ?? '',
    title: read('x-title', 'title', 't'),
    message: read('x-message', 'message', 'm').replaceAll('\\n', '\n') || attached.message,
    priority: read('x-priority', 'priority', 'prio', 'p'),
    tags: lists.texts('tags', read('x-tags', 'tags', 'tag', 'ta').split(',', MOST + 1), MOST),
    click: linked.click,
    image: attached.image,
    sequenceId: request.params.sequence ?? read('x-sequence-id', 'sequence-id', 'sid'),
    delay: read('x-delay', 'delay', 'x-at', 'at', 'x-in', 'in'),
    icon: read('x-icon', 'icon'),
    unkept: [...linked.unkept, ...attached.unkept, ...unkept],
    isFile: file !== '' && attach === '',
  };
}

/** Where the first button leads that opens a page, unless the message has a link of its own. */
function linkedBy(click: string, actions: readonly JsonObject[]): Pick<Message, 'click' | 'unkept'> {
  // Uptime Kuma and Healthchecks have no other link.
  const viewed = actions.find(({ action }) => textOf(action).toLowerCase() === 'view');
  const isAll = actions.length === 0 || (click === '' && viewed !== undefined && actions.length === 1);
  return { click: click || textOf(viewed?.url), unkept: isAll ? [] : ['actions'] };
}

/**
 * What is attached: an image by its address is shown, a file itself is dropped. A message without words shows the name,
 * as its server's does.
 */
function attachedBy(attach: string, file: string): Pick<Message, 'image' | 'message' | 'unkept'> {
  if (attach === '' && file === '') return { image: '', message: '', unkept: [] };
  if (attach === '') return { image: '', message: `You received a file: ${file}`, unkept: ['attachment'] };
  const [path = ''] = attach.split(/[?#]/, 1);
  const name = file || path.slice(path.lastIndexOf('/') + 1) || 'attachment';
  const isImage = attach.startsWith('https://') && [file, path].some((one) => IMAGE.test(one));
  return {
    image: isImage ? attach : '',
    message: `You received a file: ${name}`,
    unkept: isImage ? [] : ['attach'],
  };
}

const IMAGE = /\.(?:jpe?g|png|gif|webp|avif|heic|bmp)$/i;

/** What clients and proxies write into the field Priority (RFC 9218), as its server leaves it out: `u=3, i`. */
const OF_THE_REQUEST = /^u=\d(?:, *(?:i|\d))?$/;

/** The first of these that a header field or the query has. A header field may be written in encoded words. */
function parameter({ header, query }: SenderRequest, names: readonly string[]): string {
  const inHeader = names
    .filter((name) => name !== 'priority' || !OF_THE_REQUEST.test(header(name)))
    .map((name) => decodeWords(header(name)).trim());
  return [...inHeader, ...names.map((name) => query.get(name)?.trim())].find(Boolean) ?? '';
}

/** Tags that name a state decide the level, the priority the urgency. A recovery without a priority is not urgent. */
function weigh({ priority, tags, icon, title, message }: Message): Weight {
  const byPriority = weightOfText(`${title}\n${message}`, weightOf('ntfy', priority) ?? weightOfIcon(icon));
  const byTag = tags.flatMap((tag) => weightOf('tag', tag) ?? [])[0];
  return { ...byTag, ...byPriority, ...(byTag !== undefined && { level: byTag.level }) };
}

/** Short codes become emoji, as https://docs.ntfy.sh/publish/#tags-emojis has it. */
async function sorted(tags: readonly string[]): Promise<{ emojis: readonly string[]; others: readonly string[] }> {
  const trimmed = tags.map((tag) => tag.trim()).filter(Boolean);
  if (trimmed.length === 0) return { emojis: [], others: [] };
  const emojiOf = await emojiByName();
  return {
    emojis: trimmed.flatMap((tag) => emojiOf(tag) ?? []),
    others: trimmed.filter((tag) => emojiOf(tag) === undefined),
  };
}

/** What the answer has of a message. `time` is there if it is to be sent later. */
function repeatedOf(
  { title, message, priority, tags, click, sequenceId }: Message,
  sendAtMs: number | null,
): JsonObject {
  const number = numberOf(priority);
  return {
    ...(sendAtMs !== null && { time: Math.floor(sendAtMs / 1_000) }),
    ...(sequenceId !== '' && { sequence_id: shorten(sequenceId, MESSAGE_MAX) }),
    ...(title !== '' && { title: shorten(title, MESSAGE_MAX) }),
    message: shorten(message, MESSAGE_MAX),
    ...(number !== undefined && { priority: number }),
    ...(tags.length > 0 && { tags: tags.map((tag) => shorten(tag, MESSAGE_MAX)) }),
    ...(click !== '' && { click: shorten(click, MESSAGE_MAX) }),
  };
}

/** https://docs.ntfy.sh/subscribe/api/#json-message-format */
function answer({ event, channel, keptMs }: AcceptedEvent, { time: later, ...repeated }: JsonObject): object {
  const time = typeof later === 'number' ? later : Math.floor(Date.parse(event.received_at) / 1_000);
  return {
    id: event.public_id,
    time,
    expires: time + Math.floor(keptMs / 1_000),
    event: 'message',
    topic: channel,
    ...repeated,
  };
}

const WORDS = ['min', 'low', 'default', 'high', 'max'];

/** 1 to 5, also as words; undefined: neither. */
function numberOf(priority: string): number | undefined {
  const word = priority.trim().toLowerCase();
  if (word === 'urgent') return 5;
  return /^[1-5]$/.test(word) ? Number(word) : WORDS.indexOf(word) + 1 || undefined;
}
