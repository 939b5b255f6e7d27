/** The periodic work of a node: sums up the counts of the queue, renews its lease, receives notices. */
export type Upkeep = 'counts' | 'lease' | 'notices';

/** `reason`: why it cannot be done; null: it can again. */
export type OnTrouble = (what: Upkeep, reason: string | null) => void;

export interface UpkeepReports {
  succeeded(): void;
  failed(error: unknown): void;
}

/** One is made up for by the next try. */
const FEW_FAILURES = 1;

/** Reports once what failed twice in a row, and once more when it has succeeded again. */
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
