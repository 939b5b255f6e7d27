import type { Problem } from '../../api/problem.ts';
import { common } from '../../texts/common.ts';
import { ProblemNote } from '../problem-note.tsx';
import { isSaidByFields } from './form.ts';

interface Props {
  /** On the button that does it. */
  readonly label: string;
  readonly problem: Problem | null;
  readonly isWorking: boolean;
  readonly onClose: () => void;
}

/** How every form in a dialog ends: what went wrong, and the way out beside the way on. */
export function FormEnd({ label, problem, isWorking, onClose }: Props) {
  return (
    <>
      {problem !== null && !isSaidByFields(problem) && <ProblemNote problem={problem} />}
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>
          {common.actions.cancel}
        </button>
        <button type="submit" class="primary" disabled={isWorking}>
          {label}
        </button>
      </div>
    </>
  );
}
