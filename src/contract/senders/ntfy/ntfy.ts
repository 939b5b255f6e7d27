import type { JsonObject } from '../../../values/json.ts';
import { toTimestamp } from '../../../values/timestamp.ts';
import { Cutter } from '../bodies.ts';
import type {
  AcceptedEvent,
  Account,
  Publication,
  Reply,
  SenderAddress,
  SenderFormat,
  SenderRequest,
} from '../format.ts';
import { type Weight, weightOf, weightOfIcon, weightOfText } from '../levels.ts';
import { emojiByName, linkIn, plainMarkdown } from '../marks.ts';
import { shorten, textsOf } from '../texts.ts';
import { delayedUntil } from './fields.ts';
import {
  CODES,
  errorOf,
  isTextAlone,
  type Message,
  MOST_LISTED,
  messageInJson,
  messageInText,
  NO_DELAY,
  NO_SUBSCRIBING,
  NOT_FOUND,
  TOO_LATE,
} from './message.ts';

/**
 * ntfy, server 2.28: https://docs.ntfy.sh/publish/. Rejects missing features that make the message what it is
 * (templates), as ntfy rejects disabled ones. Names and omits other parts without a counterpart, such as files.
 */
export const NTFY: SenderFormat = {
  keys: [
    { in: 'query', name: 'auth', holds: 'authorization' },
    { in: 'query', name: 'authorization', holds: 'authorization' },
    { in: 'authorization' },
  ],
  keyForm: 'tk_',
  // ntfy's own server answers so, with these statuses.
  retriesAfter429: true,
  addresses: [
    { methods: ['post', 'put'], path: '/', act: { publish: (request) => publish(request, messageInJson), answer } },
    {
      methods: ['post', 'put'],
      path: '/{channel}',
      act: {
        publish: (request) => publish(request, messageInText),
        isTextAlone,
        answer,
      },
    },
    ...['publish', 'send', 'trigger'].map((verb) => ({
      methods: ['get', 'post', 'put'] as const,
      path: `/{channel}/${verb}`,
      act: { publish: (request: SenderRequest) => publish(request, messageInText), isTextAlone, answer },
    })),
    ...['json', 'sse', 'raw', 'ws', 'auth'].flatMap((way) => [
      ...sequenceAddresses(way),
      { methods: ['get' as const], path: `/{channel}/${way}`, act: { refuse: () => NO_SUBSCRIBING } },
    ]),
    { methods: ['get'], path: '/v1/health', act: { answer: () => ({ healthy: true }) } },
    { methods: ['get'], path: '/v1/account', act: { describe: account } },
    { methods: ['post'], path: '/v1/account/token', act: { describe: ({ key }) => ({ token: key }) } },
    // Placed after all addresses that these patterns match as well.
    ...sequenceAddresses('{sequence}'),
    { methods: ['get'], path: '/{channel}/{sequence}', act: { refuse: () => NOT_FOUND } },
  ],
  error: ({ status, message }) => errorOf(CODES[status] ?? status * 100 + 1, message),
  configuration: ({ address, channel, key }) =>
    [`Server: ${address}`, `Topic: ${channel}`, `Access token: ${key}`].join('\n'),
};

/**
 * https://docs.ntfy.sh/publish/#updating-deleting-notifications. A message replaces the sequence's previous one.
 * `place`: in ntfy also a name for subscribing, but here an ordinary sequence.
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
      act: { publish: (request) => publish(named(request), messageInText), isTextAlone, answer },
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

/** Cancels scheduled events and resolves the alert. Devices keep theirs. */
function withdrawn({ params: { channel = '', sequence = '' }, nowMs }: SenderRequest, event: string): Reply {
  const time = Math.floor(nowMs / 1_000);
  const reply = { id: sequence, time, event, topic: channel, sequence_id: sequence };
  return { status: 200, reply, change: { kind: 'withdraw', channel, collapseKey: sequence } };
}

const LONGEST_DELAY_MS = 30 * 86_400_000;
/** ntfy's text for an empty message. */
const NO_MESSAGE = 'triggered';
const MESSAGE_MAX = 4_096;
async function publish(
  request: SenderRequest,
  read: (request: SenderRequest, lists: Cutter) => Message | Reply,
): Promise<Publication | Reply | null> {
  const lists = new Cutter(3 * MOST_LISTED);
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

/** Takes the level from state tags, urgency from priority. Recoveries without a priority are not urgent. */
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

/** Picks what the answer repeats; `time` only if scheduled. */
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

/** Returns 1 to 5, also from words; undefined: neither. */
function numberOf(priority: string): number | undefined {
  const word = priority.trim().toLowerCase();
  if (word === 'urgent') return 5;
  return /^[1-5]$/.test(word) ? Number(word) : WORDS.indexOf(word) + 1 || undefined;
}

/**
 * Returns the account that Home Assistant reads at set-up, before it asks for a token to keep:
 * https://github.com/binwiederhier/ntfy/blob/main/server/types.go, apiAccountResponse and apiAccountTokenResponse.
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

/** Clients want a number, and some of them one of 32 bits. */
const UNLIMITED = 2_147_483_647;
