import type { ComponentChildren, VNode } from 'preact';
import type { Kind } from '../api/changes.ts';
import type { Answer } from '../api/problem.ts';
import { type Order, type Pages, usePages } from '../api/use-load.ts';
import { Button } from '../components/button.tsx';
import { FilterBar, type Filters, useFilters } from '../components/filters.tsx';
import { Empty, Skeleton } from '../components/loading.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { lists as texts } from '../texts/common.ts';

/** A page's list: filters, and rows so far. */
interface Listed<Page, Row, Name extends string> {
  readonly filters: Filters<Name>;
  readonly pages: Pages<Page, Row>;
}

interface Source<Page, Row, Name extends string> {
  /** The fields above the list. The first is for searching. */
  readonly filters: readonly Name[];
  /** Loads a page of matches. `from`: its start; undefined: the first. */
  readonly load: (wanted: Filters<Name>['values'], from: string | undefined) => Promise<Answer<Page>>;
  readonly rowsOf: (page: Page) => readonly Row[];
  readonly kinds: readonly Kind[];
  readonly order?: Order;
}

/** Loads any workspace list, with filters in the address and rows restored by Back. */
export function useList<Page extends { readonly next: string | null }, Row, Name extends string>(
  workspace: string,
  { filters: names, load, rowsOf, kinds, order = 'names' }: Source<Page, Row, Name>,
): Listed<Page, Row, Name> {
  const filters = useFilters(names);
  const pages = usePages(`${workspace} ${filters.key}`, (from) => load(filters.values, from), rowsOf, kinds, order);
  return { filters, pages };
}

interface Props<Page, Row, Name extends string> {
  readonly list: Listed<Page, Row, Name>;
  /** Null: the list has no search. */
  readonly searchBy: Name | null;
  readonly words: {
    readonly title: string;
    readonly filters: string;
    readonly search: string;
    readonly emptyTitle: string;
    readonly emptyText: string;
  };
  readonly row: (row: Row) => VNode;
  /** Further filters. */
  readonly children?: ComponentChildren;
}

export function List<Page, Row, Name extends string>({
  list: { filters, pages },
  searchBy,
  words,
  row,
  children,
}: Props<Page, Row, Name>) {
  return (
    <>
      <FilterBar label={words.filters} onSubmit={filters.submit}>
        {searchBy !== null && (
          <input
            type="search"
            name={searchBy}
            maxLength={200}
            defaultValue={filters.values[searchBy]}
            placeholder={words.search}
            aria-label={words.search}
          />
        )}
        {children}
      </FilterBar>
      <PageList
        pages={pages}
        label={words.title}
        row={row}
        empty={<EmptyList words={filters.isFiltered ? null : words} />}
      />
    </>
  );
}

/** More rows overflow a screen. */
const MOST_EXPECTED = 25;

interface PageListProps<Page, Row> {
  readonly pages: Pages<Page, Row>;
  /** Names the list for screen readers. */
  readonly label: string;
  readonly row: (row: Row) => VNode;
  /** The expected number of rows, if known, so that less moves below. */
  readonly expected?: number;
  /** Shown without rows and further pages. */
  readonly empty: ComponentChildren;
}

/** A paged list with a button for more. */
export function PageList<Page, Row>({ pages, label, row, expected = 4, empty }: PageListProps<Page, Row>) {
  const { first, rows, hasMore, isLoadingMore, problem } = pages;
  const isEmpty = first !== null && rows.length === 0;
  return (
    <>
      <ProblemNote problem={problem} {...(first === null && { retry: pages.reload })} />
      {first === null && problem === null && (
        <Skeleton label={texts.loading} rows={Math.min(expected, MOST_EXPECTED)} />
      )}
      {rows.length > 0 && (
        <ul class="list lines" aria-label={label}>
          {rows.map(row)}
        </ul>
      )}
      {isEmpty && !hasMore && empty}
      {isEmpty && hasMore && <p class="end">{texts.noneYet}</p>}
      {hasMore && (
        <p class="end">
          <Button text={isEmpty ? texts.lookFurther : texts.more} isWorking={isLoadingMore} onClick={pages.more} />
        </p>
      )}
    </>
  );
}

interface EmptyListProps {
  /** An empty list's texts; null: filtered out. */
  readonly words: { readonly emptyTitle: string; readonly emptyText: string } | null;
}

/** Replaces a list's rows. */
export function EmptyList({ words }: EmptyListProps) {
  return (
    <Empty title={words?.emptyTitle ?? texts.nothingFound}>
      <p>{words?.emptyText ?? texts.nothingFits}</p>
    </Empty>
  );
}
