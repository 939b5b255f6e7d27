import { Empty } from '../components/empty.tsx';
import { texts } from '../texts/manage.ts';

interface Props {
  /** The texts of an empty list; null: its filters leave nothing. */
  readonly words: { readonly emptyTitle: string; readonly emptyText: string } | null;
}

/** Stands in the place of a list's rows. */
export function EmptyList({ words }: Props) {
  return (
    <Empty title={words?.emptyTitle ?? texts.nothingFound}>
      <p>{words?.emptyText ?? texts.nothingFits}</p>
    </Empty>
  );
}
