import type { Assignee } from '../api/alerts.ts';
import { alerts as texts } from '../texts/alerts.ts';

interface Props {
  readonly people: readonly Assignee[];
  readonly isBusy: boolean;
  readonly onChoose: (id: string) => void;
}

export function Assignees({ people, isBusy, onChoose }: Props) {
  return (
    <div class="alert-people">
      <p>{people.length === 0 ? texts.noAssignees : texts.toWhom}</p>
      {people.map(({ id, name }) => (
        <button key={id} type="button" aria-disabled={isBusy} dir="auto" onClick={() => onChoose(id)}>
          {name}
        </button>
      ))}
    </div>
  );
}
