import type { JsonObject } from '../../../values/json.ts';
import { type Cutter, inAnyCase, textOf } from '../bodies.ts';
import type { Reply, SenderRequest } from '../format.ts';
import { isDeclaredForm, isDeclaredMultipart } from '../forms.ts';
import { actionsIn, decodeWords } from './fields.ts';

export interface Message {
  readonly topic: string;
  readonly title: string;
  readonly message: string;
  readonly priority: string;
  readonly tags: readonly string[];
  readonly click: string;
  readonly image: string;
  readonly sequenceId: string;
  readonly delay: string;
  /** The address of one. */
  readonly icon: string;
  /** Names of parts without a counterpart. */
  readonly unkept: readonly string[];
}

/** Values marking the message as a template; others name one. */
const INLINE = new Set(['yes', 'true', '1', 'no', 'false', '0']);

export const MOST_LISTED = 100;

/** Unsupported fields: JSON name, with names in header and query. */
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

/**
 * https://docs.ntfy.sh/publish/#publish-as-json. Header and query fill what the body omits, as in ntfy: Apprise sends
 * priority, tags and link there. Non-JSON, which ntfy rejects, becomes the message.
 */
export function messageInJson(request: SenderRequest, lists: Cutter): Message | Reply {
  const { body: whole } = request;
  const body = whole.object === null && whole.hasContent ? { message: whole.readable } : whole.fields;
  const values = valuesOf(request, lists);
  if ('reply' in values) return values;
  const tags = lists.texts('tags', listOf(body.tags), MOST_LISTED);
  const { click, ...linked } = linkedBy(
    textOf(body.click) || values.click,
    typeof body.actions === 'string'
      ? actionsIn(body.actions, lists, MOST_LISTED)
      : lists.objects('actions', body.actions, MOST_LISTED).map(inAnyCase),
  );
  const attached = attachedBy(textOf(body.attach), textOf(body.filename));
  const unkept = Object.keys(UNKEPT).filter((name) => body[name] === true || textOf(body[name]) !== '');
  return {
    topic: values.topic || textOf(body.topic),
    title: textOf(body.title) || values.title,
    message: textOf(body.message) || values.message || attached.message,
    priority: textOf(body.priority) || values.priority,
    tags: tags.length > 0 ? tags : values.tags,
    click,
    image: attached.image || values.image,
    sequenceId: request.params.sequence ?? (textOf(body.sequence_id) || values.sequenceId),
    delay: textOf(body.delay) || values.delay,
    icon: textOf(body.icon) || values.icon,
    unkept: [...values.unkept, ...linked.unkept, ...attached.unkept, ...unkept],
  };
}

/** Reads a form's list from text, like the header's. */
function listOf(given: unknown): unknown {
  return typeof given === 'string' ? given.split(',', MOST_LISTED + 1) : given;
}

/** Tells whether the body declares fields and a message, so is no text. */
function hasFields({ header, body }: SenderRequest): boolean {
  const type = header('content-type');
  const isDeclared = isDeclaredJson(type) || isDeclaredForm(type) || isDeclaredMultipart(type);
  return isDeclared && textOf(body.fields.message).trim() !== '';
}

/** Tells whether the body's beginning suffices, also for forms: `curl -d` always declares one. */
export function isTextAlone({ header }: SenderRequest): boolean {
  const type = header('content-type');
  return !isDeclaredJson(type) && !isDeclaredMultipart(type);
}

function isDeclaredJson(contentType: string): boolean {
  return /^\s*application\/json\b/i.test(contentType);
}

/**
 * Takes the message from the body, the rest from header or query: https://docs.ntfy.sh/publish/#list-of-all-parameters
 */
export function messageInText(request: SenderRequest, lists: Cutter): Message | Reply {
  if (hasFields(request)) return messageInJson(request, lists);
  const values = valuesOf(request, lists);
  if ('reply' in values) return values;
  const { text } = request.body;
  // Named or non-text bodies are files.
  if (values.isFile) return values;
  if (text.includes('\0')) {
    const { message, unkept } = attachedBy('', 'attachment');
    return { ...values, message: values.message || message, unkept: [...values.unkept, ...unkept] };
  }
  if (text.trim() === '') return values;
  const isPlain = !/^\s*[[{]/.test(text) && isTextAlone(request);
  return { ...values, message: isPlain ? text : request.body.readable };
}

/** Returns values of header and query. `isFile`: they name a file without a place. */
function valuesOf(request: SenderRequest, lists: Cutter): (Message & { readonly isFile: boolean }) | Reply {
  const read = (...names: readonly string[]): string => parameter(request, names);
  const template = read('x-template', 'template', 'tpl').toLowerCase();
  if (template !== '') return INLINE.has(template) ? NO_TEMPLATES : NO_NAMED_TEMPLATES;
  const file = read('x-filename', 'filename', 'file', 'f');
  const attach = read('x-attach', 'attach', 'a');
  const attached = attachedBy(attach, file);
  const linked = linkedBy(
    read('x-click', 'click'),
    actionsIn(read('x-actions', 'actions', 'action'), lists, MOST_LISTED),
  );
  const unkept = Object.entries(UNKEPT).flatMap(([name, names]) => (read(...names) === '' ? [] : [name]));
  return {
    topic: request.params.channel ?? '',
    title: read('x-title', 'title', 't'),
    message: read('x-message', 'message', 'm').replaceAll('\\n', '\n') || attached.message,
    priority: read('x-priority', 'priority', 'prio', 'p'),
    tags: lists.texts('tags', read('x-tags', 'tags', 'tag', 'ta').split(',', MOST_LISTED + 1), MOST_LISTED),
    click: linked.click,
    image: attached.image,
    sequenceId: request.params.sequence ?? read('x-sequence-id', 'sequence-id', 'sid'),
    delay: read('x-delay', 'delay', 'x-at', 'at', 'x-in', 'in'),
    icon: read('x-icon', 'icon'),
    unkept: [...linked.unkept, ...attached.unkept, ...unkept],
    isFile: file !== '' && attach === '',
  };
}

/** Returns the link, else the first button's page. */
function linkedBy(click: string, actions: readonly JsonObject[]): Pick<Message, 'click' | 'unkept'> {
  // Uptime Kuma and Healthchecks have no other link.
  const viewed = actions.find(({ action }) => textOf(action).toLowerCase() === 'view');
  const isAll = actions.length === 0 || (click === '' && viewed !== undefined && actions.length === 1);
  return { click: click || textOf(viewed?.url), unkept: isAll ? [] : ['actions'] };
}

/**
 * Returns the attachment: images by address are shown, files dropped. A wordless message shows the name, as in ntfy.
 */
function attachedBy(attach: string, file: string): Pick<Message, 'image' | 'message' | 'unkept'> {
  if (attach === '' && file === '') return { image: '', message: '', unkept: [] };
  if (attach === '') return { image: '', message: `You received a file: ${file}`, unkept: ['attachment'] };
  const [path = ''] = attach.split(/[?#]/, 1);
  const name = file || path.slice(path.lastIndexOf('/') + 1) || 'attachment';
  const isImage = attach.startsWith('https://') && [file, path].some((name) => IMAGE.test(name));
  return {
    image: isImage ? attach : '',
    message: `You received a file: ${name}`,
    unkept: isImage ? [] : ['attach'],
  };
}

const IMAGE = /\.(?:jpe?g|png|gif|webp|avif|heic|bmp)$/i;

/** RFC 9218 values of Priority (`u=3, i`) by clients and proxies, ignored as in ntfy. */
const OF_THE_REQUEST = /^u=\d(?:, *(?:i|\d))?$/;

/** Returns the first of these names' values in header or query. Header fields may be in encoded words. */
function parameter({ header, query }: SenderRequest, names: readonly string[]): string {
  const inHeader = names
    .filter((name) => name !== 'priority' || !OF_THE_REQUEST.test(header(name)))
    .map((name) => decodeWords(header(name)).trim());
  return [...inHeader, ...names.map((name) => query.get(name)?.trim())].find(Boolean) ?? '';
}

/** The codes of its errors: https://github.com/binwiederhier/ntfy/blob/main/server/errors.go */
export const CODES: Readonly<Record<number, number>> = {
  400: 40024,
  401: 40101,
  403: 40301,
  404: 40401,
  413: 41303,
  429: 42901,
  500: 50001,
};

export function errorOf(code: number, error: string, place = ''): object {
  return { code, http: Math.floor(code / 100), error, link: `https://docs.ntfy.sh/publish/${place}` };
}

/** Errors of ntfy's server for disabled or forbidden features. */
export const NO_SUBSCRIBING: Reply = { status: 403, reply: errorOf(40301, 'forbidden', '#authentication') };
export const NOT_FOUND: Reply = { status: 404, reply: errorOf(40401, 'page not found') };
export const NO_DELAY: Reply = {
  status: 400,
  reply: errorOf(40004, 'invalid delay parameter: unable to parse delay', '#scheduled-delivery'),
};
export const TOO_LATE: Reply = {
  status: 400,
  reply: errorOf(40006, 'invalid delay parameter: too large, please refer to the docs', '#scheduled-delivery'),
};
const NO_TEMPLATES: Reply = {
  status: 400,
  reply: errorOf(
    40045,
    'invalid request: template execution failed, templates are not supported',
    '#message-templating',
  ),
};
const NO_NAMED_TEMPLATES: Reply = {
  status: 400,
  reply: errorOf(
    40047,
    'invalid request: template file not found, templates are not supported',
    '#pre-defined-templates',
  ),
};
