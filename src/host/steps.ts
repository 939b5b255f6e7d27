/** A change to this machine, skipped if already in place. */
export interface Step {
  /** In the imperative: "create the user pushctl". */
  readonly what: string;
  readonly isDone: () => boolean;
  readonly carryOut: () => void;
}

export interface StepResult {
  readonly what: string;
  readonly state: 'done' | 'already so' | 'would be done';
}

/**
 * Carries out the steps in order, or says which it would. Sets the mode of new folders, since root's umask may hide
 * them from users.
 */
export function carryOut(steps: readonly Step[], isDryRun: boolean): readonly StepResult[] {
  const umask = process.umask(0o022);
  try {
    return steps.map(({ what, isDone, carryOut }) => {
      if (isDone()) return { what, state: 'already so' };
      if (isDryRun) return { what, state: 'would be done' };
      carryOut();
      return { what, state: 'done' };
    });
  } finally {
    process.umask(umask);
  }
}
