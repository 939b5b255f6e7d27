import { ANY, type CostlyBody } from './costly-bodies.ts';

const FORM = 'application/x-www-form-urlencoded';
/** The costliest bodies that a search with costly-bodies.ci.test.ts found, in any format. */
const COSTLY: readonly CostlyBody[] = [
  ...['1e-9', '"😀"', '[]', '{"k#":{}}', '[[]]'].map((piece) => ({ ...ANY, piece, around: '{' as const })),
  ...['[', '{"a":'].map((piece) => ({ ...ANY, place: ['[]'], piece })),
  ...['a&', '+&', '%&', '%e2%82&', 'payload=%7b&', '%', '+'].map((piece) => ({ ...ANY, piece, type: FORM })),
  { ...ANY, piece: '{"k#":{}}', around: '{', encoded: 'payload', type: FORM },
];

/** The format's frame around the field that is filled. */
const TRIGGERED: CostlyBody = {
  ...ANY,
  place: ['event_action":"trigger","dedup_key":"a","payload', 'summary":"a","custom_details'],
};

/** Further findings in the fields of each, by address. */
const COSTLY_IN: Readonly<Record<string, readonly CostlyBody[]>> = {
  '/senders/ntfy': [{ ...ANY, place: ['tags'], piece: '"a"', around: '[' }],
  '/senders/ntfy/alerts': [{ ...ANY, piece: '\r\n\u200b' }],
  '/senders/gotify/message': [
    { ...ANY, place: ['extras'], piece: '{"k#":{}}', around: '[' },
    ...['--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n', 'a: b\r\n'].map((piece) => {
      return { ...ANY, piece: piece, type: 'multipart/form-data; boundary=b' };
    }),
  ],
  '/senders/alertmanager/alerts': [
    { ...ANY, place: ['alerts'], piece: '{}', around: '[' },
    { ...ANY, place: ['alerts', '[]', 'labels'], piece: '"a"', around: '{' },
    {
      ...ANY,
      place: ['alerts'],
      piece: '{"labels":{"severity":"page"},"startsAt":"2026-11-21T09:30:00Z"}',
      around: '[',
    },
  ],
  '/senders/grafana/alerts': [{ ...ANY, place: ['alerts'], piece: '{"annotations":{"summary":"#"}}', around: '[' }],
  '/senders/slack/{key}': [
    { ...ANY, place: ['blocks'], piece: '{"text":"#"}', around: '[' },
    { ...ANY, place: ['attachments'], piece: '{"fields":[{"title":"#"}]}', around: '[' },
    { ...ANY, place: ['attachments', '[]', 'blocks'], piece: '{"elements":[{}]}', around: '[' },
    { ...ANY, place: ['text'], piece: '<http://a|', around: '"' },
    { ...ANY, place: ['blocks'], piece: `{"text":"${'`a`'.repeat(2_600)}"}`, around: '[' },
    {
      ...ANY,
      place: ['blocks'],
      piece: '{"type":"rich_text_section","elements":[{"type":"link","url":"http://a"}]}',
      around: '[',
    },
  ],
  '/senders/pagerduty/v2/enqueue': [
    { ...TRIGGERED, piece: '"a"', around: '{' },
    { ...TRIGGERED, place: ['event_action":"trigger","payload":{"summary":"a"},"links'], piece: '{}', around: '[' },
    {
      ...TRIGGERED,
      place: ['event_action":"resolve","dedup_key":"a","payload', 'summary'],
      piece: 'resolve',
      around: '"',
    },
  ],
  [`/senders/json/alerts?${['title', 'description', 'url', 'level'].map((name) => `${name}=${'{a}'.repeat(800)}`).join('&')}`]:
    [
      { ...ANY, place: ['a'], piece: '\\u0000', around: '"' },
      { ...ANY, place: ['a'], piece: '😀', around: '"' },
    ],
};

/** The costliest bodies by address. `{key}`: the sender's. */
export const WORST: readonly { readonly path: string; readonly shape: CostlyBody }[] = Object.entries(
  COSTLY_IN,
).flatMap(([path, own]) => [...COSTLY, ...own].map((shape) => ({ path, shape })));
