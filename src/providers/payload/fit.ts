import type { Links } from '../../push.ts';
import type { Content } from './content.ts';

export interface Fitted<Payload> {
  readonly payload: Payload;
  /** Something had to give way. */
  readonly fitted: boolean;
}

/** The body keeps at least so many graphemes for as long as there is a link that can go instead. */
const BODY_FLOOR_GRAPHEMES = 40;

const ELLIPSIS = '…';

/**
 * Builds a payload of at most `limitBytes` of JSON. What is too long gives way in this order: the body down to
 * `BODY_FLOOR_GRAPHEMES`, the image, the link, the rest of the body, and the collapse key, of which the provider's own
 * field is made already. The event's `data` goes last, as a whole, and what it had displaced comes back. The title never
 * goes: with all of the API's limits at their maximum, the title and the fixed keys leave room for more than a character
 * of body.
 */
export function fit<Payload>(
  content: Content,
  limitBytes: number,
  build: (content: Content) => Payload,
): Fitted<Payload> {
  const fits = (candidate: Content) => Buffer.byteLength(JSON.stringify(build(candidate))) <= limitBytes;
  if (fits(content)) return { payload: build(content), fitted: false };

  const cuts = new Cuts(content.body);
  const { data, ...links } = content.links;
  const withData = data === undefined ? null : shortened(content);
  if (withData !== null) return done(withData);
  return done(shortened({ ...content, links }) ?? { ...content, links: {}, collapseKey: null, body: ELLIPSIS });

  function shortened(whole: Content): Content | null {
    const [all, ...fewer] = fewerAndFewer(whole.links);
    for (const left of [all, ...fewer]) {
      const kept = { ...whole, links: left };
      const text = cuts.longest(BODY_FLOOR_GRAPHEMES, fitsIn(kept));
      if (text !== null) return { ...kept, body: text };
    }
    const bare = { ...whole, links: fewer.at(-1) ?? all };
    for (const kept of [bare, { ...bare, collapseKey: null }]) {
      const text = cuts.longest(1, fitsIn(kept)) ?? cuts.longestByCodePoints(fitsIn(kept));
      if (text !== null) return { ...kept, body: text };
    }
    return null;
  }

  function fitsIn(kept: Content): (body: string) => boolean {
    return (body) => fits({ ...kept, body, fitted: true });
  }

  function done(kept: Content): Fitted<Payload> {
    return { payload: build({ ...kept, fitted: true }), fitted: true };
  }
}

/** All links, then without the image, then none. Each is whole or absent; `data` stays. */
function fewerAndFewer(links: Links): readonly [Links, ...Links[]] {
  const { imageUrl, ...withoutImage } = links;
  const { url, ...bare } = withoutImage;
  return [links, ...(imageUrl === undefined ? [] : [withoutImage]), ...(url === undefined ? [] : [bare])];
}

/** The ways to cut one text. Graphemes are looked for once, and only for a text that has to be cut. */
class Cuts {
  /**
   * One for all texts, of all languages: grapheme boundaries are the same in each. The first of a process takes 20 ms and
   * 3 MB, for which no delivery thread is to wait before a text has to be cut.
   */
  static #segmenter: Intl.Segmenter | undefined;

  readonly #text: string;
  /** The end of each grapheme, in UTF-16 units. */
  readonly #ends: readonly number[];

  constructor(text: string) {
    this.#text = text;
    Cuts.#segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
    this.#ends = Array.from(Cuts.#segmenter.segment(text), ({ index, segment }) => index + segment.length);
  }

  /** The longest cut of at least `min` graphemes that fits; the whole text counts as one, however short. */
  longest(min: number, fits: (text: string) => boolean): string | null {
    if (fits(this.#text)) return this.#text;
    return longestPrefix(this.#text, this.#ends.slice(min - 1, -1), fits);
  }

  /** Cuts a text whose first grapheme is too long. */
  longestByCodePoints(fits: (text: string) => boolean): string | null {
    const first = this.#text.slice(0, this.#ends[0]);
    const ends: number[] = [];
    for (const codePoint of first) ends.push((ends.at(-1) ?? 0) + codePoint.length);
    return longestPrefix(this.#text, ends, fits);
  }
}

/** Binary search over `ends`: longer prefixes cost more, so what fits comes first. */
function longestPrefix(text: string, ends: readonly number[], fits: (text: string) => boolean): string | null {
  const cut = (end: number | undefined) => text.slice(0, end).trimEnd() + ELLIPSIS;
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fits(cut(ends[middle]))) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : cut(ends[low - 1]);
}
