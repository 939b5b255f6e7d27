import type { ComponentChildren, VNode } from 'preact';
import type { Kind } from '../api/changes.ts';
import type { Answer } from '../api/problem.ts';
import { type Order, type Pages, usePages } from '../api/use-pages.ts';
import { FilterBar, type Filters, useFilters } from '../components/filters.tsx';
import { EmptyList } from './empty-list.tsx';
import { PageList } from './page-list.tsx';

/** A page's list: filters, and rows so far. */
export interface Listed<Page, Row, Name extends string> {
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
  /** Replaces the rows of an empty, unfiltered list. */
  readonly empty?: ComponentChildren;
  /** Further filters. */
  readonly children?: ComponentChildren;
}

export function List<Page, Row, Name extends string>({
  list: { filters, pages },
  searchBy,
  words,
  row,
  empty,
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
        empty={filters.isFiltered ? <EmptyList words={null} /> : (empty ?? <EmptyList words={words} />)}
      />
    </>
  );
}
