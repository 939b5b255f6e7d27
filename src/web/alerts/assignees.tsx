import { texts } from '../texts/alerts.ts';

interface Props {
  /** Names. */
  readonly people: readonly string[];
  readonly isBusy: boolean;
  readonly onChoose: (name: string) => void;
}

/** Lists the people to whom an alert can be reassigned. */
export function Assignees({ people, isBusy, onChoose }: Props) {
  return (
    <div class="alert-people">
      <p>{people.length === 0 ? texts.noAssignees : texts.toWhom}</p>
      {people.map((name) => (
        <button key={name} type="button" aria-disabled={isBusy} dir="auto" onClick={() => onChoose(name)}>
          {name}
        </button>
      ))}
    </div>
  );
}
