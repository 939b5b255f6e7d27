import type { Links } from '../../push.ts';
import type { Content } from './content.ts';

export interface Fitted<Payload> {
  readonly payload: Payload;
  /** Something had to give way. */
  readonly fitted: boolean;
}

/** Graphemes kept in the body while links can go instead. */
const BODY_FLOOR_GRAPHEMES = 40;

const ELLIPSIS = '…';

/**
 * Builds a payload of at most `limitBytes` of JSON. Shortens in order: the body to `BODY_FLOOR_GRAPHEMES`, the image,
 * the link, the rest of the body, and the collapse key, already in the provider's field. `data` goes last, as a whole,
 * and what it displaced returns. The title always fits: at the API's maximum, some body remains.
 */
export function fit<Payload>(
  content: Content,
  limitBytes: number,
  build: (content: Content) => Payload,
): Fitted<Payload> {
  const isShortEnough = (candidate: Content) => Buffer.byteLength(JSON.stringify(build(candidate))) <= limitBytes;
  if (isShortEnough(content)) return { payload: build(content), fitted: false };

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
    return (body) => isShortEnough({ ...kept, body, fitted: true });
  }

  function done(kept: Content): Fitted<Payload> {
    return { payload: build({ ...kept, fitted: true }), fitted: true };
  }
}

/** Drops the image, then all links, never a part; `data` stays. */
function fewerAndFewer(links: Links): readonly [Links, ...Links[]] {
  const { imageUrl, ...withoutImage } = links;
  const { url, ...bare } = withoutImage;
  return [links, ...(imageUrl === undefined ? [] : [withoutImage]), ...(url === undefined ? [] : [bare])];
}

/** Cuts a text. Finds graphemes once, only when needed. */
class Cuts {
  /**
   * Shared, as grapheme boundaries are equal in all languages. Made for the first long text only: takes 20 ms and 3 MB.
   */
  static #segmenter: Intl.Segmenter | undefined;

  readonly #text: string;
  /** Graphemes' ends, in UTF-16 units. */
  readonly #ends: readonly number[];

  constructor(text: string) {
    this.#text = text;
    Cuts.#segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
    this.#ends = Array.from(Cuts.#segmenter.segment(text), ({ index, segment }) => index + segment.length);
  }

  /** Returns the longest fitting cut of at least `min` graphemes; shorter texts count whole. */
  longest(min: number, isShortEnough: (text: string) => boolean): string | null {
    if (isShortEnough(this.#text)) return this.#text;
    return longestPrefix(this.#text, this.#ends.slice(min - 1, -1), isShortEnough);
  }

  /** Cuts within a too long first grapheme. */
  longestByCodePoints(isShortEnough: (text: string) => boolean): string | null {
    const first = this.#text.slice(0, this.#ends[0]);
    const ends: number[] = [];
    for (const codePoint of first) ends.push((ends.at(-1) ?? 0) + codePoint.length);
    return longestPrefix(this.#text, ends, isShortEnough);
  }
}

/** Searches `ends`: longer prefixes cost more. */
function longestPrefix(text: string, ends: readonly number[], isShortEnough: (text: string) => boolean): string | null {
  const cut = (end: number | undefined) => text.slice(0, end).trimEnd() + ELLIPSIS;
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isShortEnough(cut(ends[middle]))) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : cut(ends[low - 1]);
}
