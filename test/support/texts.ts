import fc from 'fast-check';
import type { PushEvent } from '../../src/push.ts';
import { aPushEvent } from './pushes.ts';

const FAMILY = '👨‍👩‍👧‍👦';
const PIECES = [
  'a',
  ' ',
  'ß',
  '漢',
  '🚀',
  FAMILY,
  '🇩🇪',
  'é',
  '́',
  '"',
  '\\',
  '\n',
  '\t',
  '\u0000',
  '\u0085',
  '\ud800',
  '\udc00',
];

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/** The library's own kind takes a second to list them all. */
export const ANY_CHARACTER = fc
  .nat({ max: 0x10ffff - SURROGATES })
  .map((nth) => String.fromCodePoint(nth < FIRST_SURROGATE ? nth : nth + SURROGATES));

/** Text of up to `max` code points: of one kind throughout, or of all kinds that cost more than they look. */
export function texts(max: number): fc.Arbitrary<string> {
  const mixed = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: ANY_CHARACTER, maxLength: 3 })), {
    minLength: 1,
    maxLength: max,
    size: 'max',
  });
  const uniform = fc
    .tuple(fc.constantFrom(...PIECES), fc.integer({ min: 1, max }))
    .map(([piece, count]) => Array.from({ length: count }, () => piece));
  return fc.oneof(mixed, uniform).map((pieces) => [...pieces.join('')].slice(0, max).join(''));
}

const links = (name: string) =>
  fc
    .integer({ min: 1, max: 2000 })
    .map((length) => `https://example.com/${name}/${'x'.repeat(length)}`)
    .filter((url) => url.length <= 2048);

/** The `data` of events, up to the API's limit. */
function pairs(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom('a', '"', '漢', '\u0001'), fc.integer({ min: 0, max: 2000 }))
    .map(([piece, count]) => JSON.stringify({ pair: piece.repeat(count) }))
    .filter((data) => Buffer.byteLength(data) <= 2048);
}

/** Events with every field anywhere between absent and the API's limit. */
export function pushEvents(): fc.Arbitrary<PushEvent> {
  return fc
    .record({
      workspace: fc.integer({ min: 1, max: 63 }).map((length) => 'w'.repeat(length)),
      channel: fc.integer({ min: 1, max: 120 }).map((length) => 'c'.repeat(length)),
      title: texts(255),
      description: fc.option(texts(1000)),
      eventType: fc.option(texts(120)),
      collapseKey: fc.option(texts(255)),
      occurredAtMs: fc.option(fc.integer({ min: 0, max: Date.UTC(2100, 0) })),
      urgency: fc.constantFrom('standard' as const, 'time_sensitive' as const),
      links: fc.record({ url: links('url'), imageUrl: links('image'), data: pairs() }, { requiredKeys: [] }),
    })
    .map(aPushEvent);
}
