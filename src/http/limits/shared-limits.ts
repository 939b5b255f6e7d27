import type { StoreClient } from '../../store/calls.ts';
import { type Admission, MINUTE_MS, RollingWindows } from './rolling-windows.ts';

export type CountingStore = Pick<StoreClient, 'countUses' | 'takeBackUses'>;

/** Limits uses of a name over a store's processes. */
export class SharedLimit {
  /** Names are unique within a kind only. */
  readonly kind: string;
  readonly windowMs: number;
  readonly here: RollingWindows;

  /** `maxNames`: as in `RollingWindows`. */
  constructor(kind: string, { windowMs = MINUTE_MS, maxNames = Number.POSITIVE_INFINITY } = {}) {
    this.kind = kind;
    this.windowMs = windowMs;
    this.here = new RollingWindows(maxNames, windowMs);
  }
}

export interface Use {
  readonly of: SharedLimit;
  readonly name: string;
  readonly most: number;
}

/** The admission of the first refusing limit, else of the last. */
export interface UsesAdmission extends Admission {
  takeBack(): Promise<void>;
}

/** Counts all uses or none: here first, so floods end here, then in the store. Refused uses count nowhere. */
export async function countUses(store: CountingStore, uses: readonly Use[], nowMs: number): Promise<UsesAdmission> {
  const counted: Use[] = [];
  const takeBackHere = () => {
    for (const { of, name } of counted) of.here.takeBack(name, nowMs);
  };
  const refused = (admission: Admission): UsesAdmission => {
    takeBackHere();
    return { ...admission, takeBack: async () => {} };
  };

  let admission: Admission = { admitted: true, limit: 0, remaining: 0, resetAfterMs: 0 };
  for (const use of uses) {
    admission = use.of.here.admit(use.name, use.most, nowMs);
    if (!admission.admitted) return refused(admission);
    counted.push(use);
  }
  const shared = uses.map(({ of, name, most }) => ({ name: `${of.kind} ${name}`, most, windowMs: of.windowMs }));
  const { resetAfterMs, at } = await store.countUses({ uses: shared }).catch((error) => {
    takeBackHere();
    throw error;
  });
  if (resetAfterMs !== null) return refused({ ...admission, admitted: false, remaining: 0, resetAfterMs });
  return {
    ...admission,
    async takeBack() {
      takeBackHere();
      if (at.length === 0) return;
      // Their requests are done; failing leaves them counted for the window.
      await store.takeBackUses({ names: shared.map(({ name }) => name), at }).catch(() => null);
    },
  };
}
