import type { ComponentChildren, VNode } from 'preact';
import type { Pages } from '../api/use-pages.ts';
import { ProblemNote } from '../components/problem-note.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { lists as texts } from '../texts/common.ts';

/** More rows overflow a screen. */
const MOST_EXPECTED = 25;

interface Props<Page, Row> {
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
export function PageList<Page, Row>({ pages, label, row, expected = 4, empty }: Props<Page, Row>) {
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
          <button type="button" aria-disabled={isLoadingMore} onClick={() => void pages.more()}>
            {isEmpty ? texts.lookFurther : texts.more}
          </button>
        </p>
      )}
    </>
  );
}
