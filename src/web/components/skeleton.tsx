interface Props {
  /** What is being loaded, for screen readers. */
  readonly label: string;
  readonly rows?: number;
}

/** Rows in outline for what is still loading. Its style shows it after 300 ms only: what is quick needs none. */
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
