/**
 * Reads templates' broken JSON: raw line breaks or quotes, extra commas, unquoted names, missing ends. Looks at each
 * character a bounded number of times.
 */

/** Returns the first values of an object or list; a list for objects in lines. Undefined: not like JSON. */
export function readLoosely(text: string, mostValues: number): unknown {
  return new LooseReader(text, mostValues).read();
}

/** Deeper values are dropped. */
const DEEPEST = 64;
/** Inside strings, of all quotes that end none. */
const MOST_QUOTES = 1_000;
/** More than is shown of a string. */
const LONGEST = 16_384;

/** A quote ends a string only before one of these. */
const END_OF_NAME = /\s{0,200}:/y;
const END_IN_OBJECT = /\s{0,200}(?:$|\}|,\s{0,200}(?:$|\}|(["'])[^"'\n]{1,100}\1\s{0,200}:))/y;
const END_BEFORE_BARE_NAME = /\s{0,200}(?:$|\}|,\s{0,200}(?:$|\}|["']?[\w.-]{1,100}["']?\s{0,200}:))/y;
const END_IN_LIST = /\s{0,200}(?:$|\]|,\s{0,200}(?:$|["'\]{[\d-]|true|false|null))/y;

const BARE_NAME = /[\w.$-]{1,100}(?=\s{0,200}:)/y;
const BARE_VALUE = /[^,}\]\n]*/y;
const BLANK = /[\s,]*/y;
const SPACE = /\s*/y;
const PART_OF_STRING = { '"': /[^"\\]*/y, "'": /[^'\\]*/y } as const;
const ESCAPE = /\\(?:u([0-9a-f]{4})|([\s\S]))/gi;
const ESCAPED: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  "'": "'",
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
};

class NotJson extends Error {}

class LooseReader {
  readonly #text: string;
  #at = 0;
  #left: number;
  #quotesLeft = MOST_QUOTES;

  constructor(text: string, mostValues: number) {
    this.#text = text;
    this.#left = mostValues;
  }

  read(): unknown {
    try {
      const values: unknown[] = [];
      for (let next = this.#next(); next !== ''; next = this.#next()) {
        // After one value, anything but an object makes the whole a text.
        if (next !== '{' && (next !== '[' || values.length > 0)) return undefined;
        values.push(this.#value(END_IN_LIST, 0));
      }
      return values.length > 1 ? values : values[0];
    } catch (error) {
      if (error instanceof NotJson) return undefined;
      throw error;
    }
  }

  /** Returns the next character except blanks and commas; empty at the end. */
  #next(): string {
    this.#match(BLANK);
    return this.#text.charAt(this.#at);
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return null;
    this.#at = pattern.lastIndex;
    return found[0];
  }

  #value(end: RegExp, depth: number): unknown {
    this.#left -= 1;
    if (this.#left < 0 || depth > DEEPEST) {
      this.#at = this.#text.length;
      return null;
    }
    const first = this.#text.charAt(this.#at);
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#list(depth);
    if (isQuote(first)) return this.#string(first, end);
    return scalarOf((this.#match(BARE_VALUE) ?? '').trim());
  }

  #object(depth: number): object {
    const fields: [string, unknown][] = [];
    this.#at += 1;
    let end = END_IN_OBJECT;
    for (let next = this.#next(); next !== '' && next !== '}'; next = this.#next()) {
      const name = isQuote(next) ? this.#string(next, END_OF_NAME) : this.#match(BARE_NAME);
      if (!isQuote(next)) end = END_BEFORE_BARE_NAME;
      // It may be broken off behind a name.
      if (name === null || (this.#match(END_OF_NAME) === null && this.#at < this.#text.length)) throw new NotJson();
      this.#match(SPACE);
      fields.push([name, this.#value(end, depth + 1)]);
    }
    this.#at += 1;
    return Object.fromEntries(fields);
  }

  #list(depth: number): readonly unknown[] {
    const values: unknown[] = [];
    this.#at += 1;
    for (let next = this.#next(); next !== '' && next !== ']'; next = this.#next()) {
      const value = this.#value(END_IN_LIST, depth + 1);
      // `[ERROR] Disk full` is a text.
      if (!isQuote(next) && typeof value === 'string') throw new NotJson();
      values.push(value);
    }
    this.#at += 1;
    return values;
  }

  /** Reads a quoted string; an unfinished one extends to the end. */
  #string(quote: Quote, end: RegExp): string {
    const start = this.#at + 1;
    this.#at = start;
    for (;;) {
      this.#match(PART_OF_STRING[quote]);
      const stop = this.#at;
      if (stop >= this.#text.length) return this.#unescaped(start, stop);
      this.#at += this.#text.charAt(stop) === '\\' ? 2 : 1;
      if (this.#text.charAt(stop) !== quote) continue;
      end.lastIndex = this.#at;
      if (end.test(this.#text)) return this.#unescaped(start, stop);
      this.#quotesLeft -= 1;
      if (this.#quotesLeft < 0) throw new NotJson();
    }
  }

  #unescaped(start: number, stop: number): string {
    const text = this.#text.slice(start, Math.min(stop, start + LONGEST));
    return text.replaceAll(ESCAPE, (all, code: string | undefined, mark: string) =>
      code === undefined ? (ESCAPED[mark] ?? all) : String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
}

type Quote = '"' | "'";

function isQuote(mark: string): mark is Quote {
  return mark === '"' || mark === "'";
}

function scalarOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === '' || text === 'null') return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}
