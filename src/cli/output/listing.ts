import { once } from 'node:events';
import type { Refusal } from '../../store/calls.ts';
import { type CommandContext, unwrap } from '../context.ts';
import { ReportedError, toFailure } from '../failure.ts';
import { printableJson, printableStyled } from './printable.ts';
import { type Cell, tableOf } from './table.ts';

export interface Listing<T> {
  /** Its name in the document. */
  readonly name: string;
  readonly headings: readonly string[];
  /** Returns an item's rows, usually one. */
  rows(item: T): readonly (readonly Cell[])[];
  readonly empty: string;
}

/** A list's beginning or end: document fields, and text. */
interface Section {
  readonly document: Readonly<Record<string, unknown>>;
  readonly text: string;
}
/** `empty`: the text for an empty list, if it depends on the first page. */
interface Sections {
  readonly head?: () => Section;
  readonly tail?: () => Section;
  readonly empty?: () => string;
}
const NOTHING: Section = { document: {}, text: '' };

/**
 * Prints a list page by page. `--json` prints one document, which also reports an interrupting error. Otherwise a table
 * with the first page's widths. Nothing is printed before that page. `head` is called after the first page, `tail` and
 * `empty` after the last.
 */
export async function printPages<T>(
  context: CommandContext,
  listing: Listing<T>,
  pages: AsyncIterable<readonly T[]>,
  { head = () => NOTHING, tail = () => NOTHING, empty = () => listing.empty }: Sections = {},
): Promise<void> {
  const { stdout } = context.process;
  const parts = context.options.json
    ? documentOf(listing, pages, head, tail)
    : textOf(context, listing, pages, { head, tail, empty });
  for await (const part of parts) if (!stdout.write(printableStyled(part))) await once(stdout, 'drain');
}

async function* documentOf<T>(
  { name }: Listing<T>,
  pages: AsyncIterable<readonly T[]>,
  head: () => Section,
  tail: () => Section,
): AsyncGenerator<string> {
  let isOpen = false;
  let isFollowed = false;
  try {
    for await (const page of pages) {
      if (!isOpen)
        yield `{${fieldsOf(head())
          .map((field) => `${field},`)
          .join('')}${JSON.stringify(name)}:[`;
      isOpen = true;
      if (page.length === 0) continue;
      yield (isFollowed ? ',' : '') + page.map(printableJson).join(',');
      isFollowed = true;
    }
  } catch (error) {
    if (!isOpen) throw error;
    yield `],"error":${printableJson(toFailure(error)?.error)}}\n`;
    throw new ReportedError(error);
  }
  yield `]${fieldsOf(tail())
    .map((field) => `,${field}`)
    .join('')}}\n`;
}

function fieldsOf({ document }: Section): readonly string[] {
  return Object.entries(document).map(([name, value]) => `${JSON.stringify(name)}:${printableJson(value)}`);
}

async function* textOf<T>(
  context: CommandContext,
  { headings, rows }: Listing<T>,
  pages: AsyncIterable<readonly T[]>,
  { head, tail, empty }: Required<Sections>,
): AsyncGenerator<string> {
  const lines = tableOf(context, headings);
  let isEmpty = true;
  let isFirst = true;
  for await (const page of pages) {
    if (isFirst) yield head().text;
    isFirst = false;
    const cells = page.flatMap(rows);
    if (cells.length > 0)
      yield lines(cells)
        .map((line) => `${line}\n`)
        .join('');
    isEmpty &&= cells.length === 0;
  }
  if (isEmpty) yield `${empty()}\n`;
  yield tail().text;
}

const PAGE = 500;

export const ALL = Number.POSITIVE_INFINITY;

/** A page has its entries under a name. `next`: the next page; null: none. */
type Page<Name extends string> = Readonly<Record<Name, readonly unknown[]>> & { readonly next: string | null };

/**
 * Yields at most `most` entries page by page, so no call blocks the store, no answer exceeds the socket, and printing
 * needs little memory.
 */
export async function* pagesOf<Name extends string, Answer extends Page<Name>>(
  name: Name,
  most: number,
  ask: (limit: number, from: string | undefined) => Promise<Answer | Refusal>,
): AsyncGenerator<Answer[Name]> {
  let from: string | undefined;
  for (let left = most; ; ) {
    const page = unwrap(await ask(Math.min(PAGE, left), from));
    yield page[name];
    left -= page[name].length;
    if (page.next === null || left <= 0) return;
    from = page.next;
  }
}
