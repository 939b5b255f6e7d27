import { Empty } from '../components/empty.tsx';
import { lists as texts } from '../texts/common.ts';

interface Props {
  /** An empty list's texts; null: filtered out. */
  readonly words: { readonly emptyTitle: string; readonly emptyText: string } | null;
}

/** Replaces a list's rows. */
export function EmptyList({ words }: Props) {
  return (
    <Empty title={words?.emptyTitle ?? texts.nothingFound}>
      <p>{words?.emptyText ?? texts.nothingFits}</p>
    </Empty>
  );
}
