/** A node's periodic work: sums up queue counts, renews its lease, receives notices. */
export type Upkeep = 'counts' | 'lease' | 'notices';

/** `reason`: why it fails; null: it works again. */
export type OnTrouble = (what: Upkeep, reason: string | null) => void;

interface UpkeepReports {
  succeeded(): void;
  failed(error: unknown): void;
}

/** The next try makes up for one. */
const FEW_FAILURES = 1;

/** Reports once what failed twice in a row, and once its success. */
export function reportsOf(what: Upkeep, onTrouble: OnTrouble): UpkeepReports {
  let failures = 0;
  return {
    succeeded() {
      if (failures > FEW_FAILURES) onTrouble(what, null);
      failures = 0;
    },
    failed(error) {
      failures += 1;
      if (failures === FEW_FAILURES + 1) onTrouble(what, (error as Error).message);
    },
  };
}
