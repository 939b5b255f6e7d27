import fc from 'fast-check';

/** A body made of one piece again and again, at some place of what its format has. */
export interface CostlyBody {
  /** Names of the fields around it, from outside to inside; `[]` for a list. */
  readonly place: readonly string[];
  /** JSON or any text, `#` in it is counted up. */
  readonly piece: string;
  /** JSON with the pieces in a list or an object, or the pieces alone. */
  readonly around: '[' | '{' | '"' | '';
  readonly encoded: 'payload' | 'no';
  readonly type: string;
}

/** Others are made of it. */
export const ANY: CostlyBody = { place: [], piece: '', around: '', encoded: 'no', type: 'application/json' };

const NAMES = [
  ...['topic', 'title', 'message', 'tags', 'priority', 'click', 'actions', 'extras', 'client::notification', 'url'],
  ...['text', 'attachments', 'blocks', 'fields', 'elements', 'fallback', 'pretext', 'color', 'ts', 'value', 'type'],
  ...['alerts', 'labels', 'annotations', 'groupLabels', 'commonLabels', 'groupKey', 'status', 'truncatedAlerts'],
  ...['links', 'images', 'custom_details', 'event_action', 'dedup_key', 'routing_key', 'timestamp', 'source', 'attach'],
  ...['startsAt', 'endsAt', 'fingerprint', 'generatorURL', 'imageURL', 'severity', 'summary', 'payload', 'x'],
] as const;
const TEXTS = [
  ...[
    '',
    'a',
    ' ',
    '\\n',
    '\\u0000',
    '\\ud83d',
    'é',
    '😀',
    '#',
    '<',
    '<http:',
    '<http://a|',
    '&amp;',
    '&lt;',
    'a b\\n',
  ],
  ...['```', '=?utf-8?q?=41?=', '=?gb18030?b?QQ==?= ', '\\u200b', '\\ufeff', '2026-11-21T09:30:00Z', 'firing', '\\"'],
  ...['*a', '_a_', '~', '`', '`a`', '[](', '[](http://a', '<@', ':a', ':tada:', 'https://a ', 'https://(', '{a}', '; '],
] as const;
const PLAIN = [
  ...['a&', 'a=&', '&', '%41&', '+&', '%&', 'a=b&', '%e2%82&', '%', '+', 'payload=%7b&', 'payload=&', 'message=a&'],
  ...['[', '{"a":', '--b\r\n', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n', 'a: b\r\n', '\r\n--b'],
] as const;
const TYPES = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
] as const;

const name = fc.constantFrom<string>(...NAMES);
const text = fc.array(fc.constantFrom<string>(...TEXTS), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
const scalar = fc.oneof(
  text.map((character) => `"${character}"`),
  fc.constantFrom('1', '-1', '0.1', '1e308', '1e-9', '99999999999999999999', 'null', 'true', '[]', '{}'),
);
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: false },
    scalar,
    fc.array(tie('json'), { maxLength: 2 }).map((list) => `[${list.join(',')}]`),
    fc
      .array(fc.tuple(fc.oneof(name, fc.constantFrom('#', '1000#', 'k#')), tie('json')), { maxLength: 3 })
      .map((fields) => `{${fields.map(([key, value]) => `"${key}":${value}`).join(',')}}`),
  ),
}));

export const aCostlyBody: fc.Arbitrary<CostlyBody> = fc.record({
  place: fc.array(fc.oneof(name, fc.constant('[]')), { maxLength: 5 }),
  piece: fc.oneof(json, text, fc.constantFrom<string>(...PLAIN)),
  around: fc.constantFrom('[', '{', '"', ''),
  encoded: fc.constantFrom('payload', 'no', 'no'),
  type: fc.constantFrom(...TYPES),
});

/** At most so many bytes of it. */
export function bodyOf({ place, piece, around, encoded }: CostlyBody, bytes: number): string {
  const before = place.map((field) => (field === '[]' ? '[' : `{"${field}":`)).join('');
  const after = place
    .toReversed()
    .map((field) => (field === '[]' ? ']' : '}'))
    .join('');
  const room = (encoded === 'payload' ? bytes / 2 : bytes) - before.length - after.length - 20;
  const inner = filled(piece, around, room);
  const whole = around === '' && place.length === 0 ? inner : before + inner + after;
  return encoded === 'payload' ? `payload=${encodeURIComponent(whole.toWellFormed())}`.slice(0, bytes) : whole;
}

function filled(piece: string, around: CostlyBody['around'], room: number): string {
  const parts: string[] = [];
  for (let at = 0, size = 0; ; at += 1) {
    const counted = piece.replaceAll('#', String(at));
    const part = around === '{' ? `"k${at}":${counted},` : around === '[' ? `${counted},` : counted;
    size += Math.max(1, Buffer.byteLength(part));
    if (size > room) break;
    parts.push(part);
  }
  const all = parts.join('');
  switch (around) {
    case '[':
      return `[${all}0]`;
    case '{':
      return `{${all}"z":0}`;
    case '"':
      return `"${all}"`;
    case '':
      return all;
  }
}
