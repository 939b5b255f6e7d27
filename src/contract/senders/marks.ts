/**
 * Removes marks of Slack (https://docs.slack.dev/messaging/formatting-message-text) and Mattermost's Markdown
 * (https://docs.mattermost.com/end-user-guide/collaborate/format-messages.html). Patterns look at each character a
 * bounded number of times.
 */

export async function plain(text: string): Promise<string> {
  const unmarked = UNMARKED.reduce(
    (left, pattern) => left.replaceAll(pattern, (all, _mark, inner?: string) => inner ?? all),
    text.replaceAll(MARKDOWN_LINK, '$1').replaceAll(REFERENCE, shownReference),
  );
  return unescaped(
    await withEmoji(unmarked.replaceAll(CODE, (_, block?: string, span?: string) => block ?? span ?? '')),
  );
}

/** Returns Markdown without its marks. Keeps only the beginning of a long text, which is more than is shown. */
export async function plainMarkdown(text: string): Promise<string> {
  const begin = text.slice(0, LONGEST_MARKDOWN);
  const isOpen = begin.split(FENCE).length % 2 === 0;
  const inLines = `${begin}${isOpen ? FENCE : ''}`
    .replaceAll(LANGUAGE, FENCE)
    .replaceAll(AT_START_OF_LINE, '')
    .replaceAll(/<br ?\/?>/gi, '\n')
    .replaceAll(STRONG, '$1')
    .replaceAll(ESCAPED_MARK, (_, mark: string) => String.fromCharCode(FIRST_HIDDEN + MARKS.indexOf(mark)));
  const shown = await plain(inLines);
  return shown.replaceAll(HIDDEN_MARK, (hidden) => MARKS.charAt(hidden.charCodeAt(0) - FIRST_HIDDEN));
}

const LONGEST_MARKDOWN = 8_192;
const FENCE = '```';
/** The hidden language behind a fence. */
const LANGUAGE = /```[\w+-]{0,20}\n/g;
/** Marks of headings and quotations. */
const AT_START_OF_LINE = /^(?:#{1,6} +|> ?)/gm;
const STRONG = /(?<![\p{L}\p{N}_])__(?=\S)([^_\n]+)__(?![\p{L}\p{N}_])/gu;
/** Escaped marks are text. A noncharacter stands in for them during removal. */
const ESCAPED_MARK = /\\([\\`*_{}[\]()#+.!|>~-])/g;
const MARKS = '\\`*_{}[]()#+.!|>~-';
const FIRST_HIDDEN = 0xfdd0;
const HIDDEN_MARK = /[\uFDD0-\uFDE1]/g;

/** Returns the first link of any notation. */
export function linkIn(text: string): string | undefined {
  const [, inMarkdown, inReference, bare] = LINK.exec(text) ?? [];
  const link = inMarkdown ?? inReference ?? (bare === undefined ? undefined : withoutPunctuation(bare));
  return link === undefined ? undefined : unescaped(link);
}

/** Escapes a text so that `plain` changes nothing but emoji. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Links may contain paired parentheses. */
const TARGET = String.raw`https?://(?:[^\s()<>]|\([^\s()<>]*\))+`;
const TITLED = String.raw`\]\((${TARGET})(?:\s"[^"\n]*")?\)`;
const MARKDOWN_LINK = new RegExp(String.raw`!?\[([^[\]\n]*)${TITLED}`, 'g');
const LINK = new RegExp(String.raw`\[[^[\]\n]*${TITLED}|<(https?://[^|<>]+)(?:\|[^<>]*)?>|(https?://[^\s<>|"\x60]+)`);

/** Slack's references: `<https://example.com|label>`, `<@U1>`, `<#C1|general>`, `<!here>`. */
const REFERENCE = /<(https?:|mailto:|tel:|[@#!])([^|<>]*)(?:\|([^<>]*))?>/g;

function shownReference(_: string, kind: string, target: string, label = ''): string {
  switch (kind) {
    case '@':
    case '#':
      return kind + (label || target).replace(/^[@#]/, '');
    case '!':
      return /^(?:here|channel|everyone)$/.test(target) ? `@${target}` : label || `@${target}`;
    default:
      return label || (kind.startsWith('http') ? kind + target : target);
  }
}

const CODE = /```([\s\S]*?)```|`([^`\n]+)`/g;
/** Code and links, which contain no marks. */
const KEPT = String.raw`\x60{3}[\s\S]*?\x60{3}|\x60[^\x60\n]+\x60|https?://[^\s<>|]+`;
/** Pairs of marks around words, with how often a mark may stand on either side: Mattermost has `**` and `~~`. */
const UNMARKED = Object.entries({ '*': 2, _: 1, '~': 2 }).map(([mark, most]) => {
  const before = String.raw`(?<![\p{L}\p{N}${mark}])([${mark}]{1,${most}})(?=\S)`;
  const after = String.raw`(?<=\S)\1(?![\p{L}\p{N}${mark}])`;
  return new RegExp(String.raw`${KEPT}|${before}([^${mark}\n]+)${after}`, 'gu');
});

/** Replaces short codes by emoji, except in `12:100:59`, dropping skin tones. */
async function withEmoji(text: string): Promise<string> {
  if (text.search(SHORT_CODE) < 0) return text;
  const emojiOf = await emojiByName();
  return text.replaceAll(SHORT_CODE, (code, name: string) =>
    name.startsWith('skin-tone-') ? '' : (emojiOf(name) ?? code),
  );
}

const SHORT_CODE = /(?<!\d):([a-z0-9_+-]{1,50}):(?!\d)/g;

/** Removes punctuation that ends the sentence and not the link. */
function withoutPunctuation(link: string): string {
  let end = link.length;
  const isOpen = link.includes('(');
  while (end > 0 && (ENDING.has(link.charAt(end - 1)) || (!isOpen && link.charAt(end - 1) === ')'))) end -= 1;
  return link.slice(0, end);
}

const ENDING = new Set(".,;:!?'*_~]}");

/** Loads emoji by names of GitHub, Slack and ntfy on first use (8 MB). */
export async function emojiByName(): Promise<(name: string) => string | undefined> {
  const { nameToEmoji } = await import('gemoji');
  return (name) => (Object.hasOwn(nameToEmoji, name) ? nameToEmoji[name] : undefined);
}
