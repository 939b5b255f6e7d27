interface Props {
  /** Tells screen readers what is being loaded. */
  readonly label: string;
  readonly rows?: number;
}

/**
 * Rows in outline for content that is still loading. The style shows them after 300 ms only: a fast answer needs none.
 */
export function Skeleton({ label, rows = 4 }: Props) {
  return (
    <div class="list skeleton" role="status" aria-label={label}>
      {Array.from({ length: rows }, () => ROW)}
    </div>
  );
}

const ROW = (
  <div class="skeleton-row" aria-hidden="true">
    <span />
    <span />
  </div>
);
