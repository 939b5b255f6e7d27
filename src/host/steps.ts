/** One thing that is brought about on this machine, unless it is so already. */
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
 * Carries the steps out in order, or says which it would. What is so already is left alone. Whatever root's umask, other
 * users may look into the folders that are made for them.
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
