interface Props {
  /** Names the loading content for screen readers. */
  readonly label: string;
  readonly rows?: number;
}

/** Outlined rows while loading. The style delays them by 300 ms for fast answers. */
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
