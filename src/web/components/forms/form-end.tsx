import type { Problem } from '../../api/problem.ts';
import { common } from '../../texts/common.ts';
import { ProblemNote } from '../problem-note.tsx';

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
      <FormProblem problem={problem} />
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

/** What went wrong, unless the fields themselves say it. */
export function FormProblem({ problem }: Pick<Props, 'problem'>) {
  const isSaid = problem !== null && Object.keys(problem.fields).length > 0;
  return isSaid ? null : <ProblemNote problem={problem} />;
}
