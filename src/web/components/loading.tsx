import type { ComponentChildren } from 'preact';
import type { Loaded } from '../api/use-load.ts';
import { ProblemNote } from './problem-note.tsx';

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

interface LoadingProps extends Props {
  readonly of: Pick<Loaded<unknown>, 'data' | 'problem' | 'reload'>;
}

/** Stands for data until it is there: outlined rows, or the problem. Missing things are not asked for again. */
export function Loading({ of: { data, problem, reload }, ...skeleton }: LoadingProps) {
  return (
    <>
      <ProblemNote problem={problem} {...(problem?.kind !== 'missing' && { retry: reload })} />
      {data === null && problem === null && <Skeleton {...skeleton} />}
    </>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
