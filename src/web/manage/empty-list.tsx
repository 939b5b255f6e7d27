import { Empty } from '../components/empty.tsx';
import { texts } from '../texts/manage.ts';

interface Props {
  /** Of a list that has nothing; null: its filters leave nothing. */
  readonly words: { readonly emptyTitle: string; readonly emptyText: string } | null;
}

/** In the place of the rows of a list. */
export function EmptyList({ words }: Props) {
  return (
    <Empty title={words?.emptyTitle ?? texts.nothingFound}>
      <p>{words?.emptyText ?? texts.nothingFits}</p>
    </Empty>
  );
}
