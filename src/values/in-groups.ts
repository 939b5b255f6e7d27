/** Called with each group's size and duration. */
export type OnGroup = (count: number, tookMs: number) => void;

/** A request that waits for the group's answer. */
export interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export async function measured<Asked, Done>(
  group: readonly Asked[],
  carryOut: (group: readonly Asked[]) => Promise<Done>,
  onGroup?: OnGroup,
): Promise<Done> {
  const startMs = performance.now();
  const done = await carryOut(group);
  report(onGroup, group.length, performance.now() - startMs);
  return done;
}

/** Reports a group. A throwing listener does not fail it. */
function report(onGroup: OnGroup | undefined, count: number, tookMs: number): void {
  try {
    onGroup?.(count, tookMs);
  } catch (error) {
    process.emitWarning(error as Error);
  }
}

/** Answers each request of a group in order. Rejects all if `carryOut` throws. */
export async function answerAll<Asked, Answer>(
  group: readonly Waiting<Asked, Answer>[],
  carryOut: (group: readonly Asked[]) => Promise<readonly Answer[]>,
): Promise<void> {
  try {
    const answers = await carryOut(group.map(({ asked }) => asked));
    for (const [place, { resolve }] of group.entries()) resolve(answers[place] as Answer);
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

/**
 * Batches requests: arrivals during a group form the next one (at most `most`). `carryOut` answers in order; an
 * exception rejects the group. `atOnce`: concurrent groups.
 */
export function inGroups<Asked, Answer>(
  most: number,
  carryOut: (group: readonly Asked[]) => Promise<readonly Answer[]>,
  atOnce = 1,
): (asked: Asked) => Promise<Answer> {
  const waiting: Waiting<Asked, Answer>[] = [];
  let underWay = 0;

  async function work(): Promise<void> {
    if (underWay === atOnce) return;
    underWay += 1;
    while (waiting.length > 0) await answerAll(waiting.splice(0, most), carryOut);
    underWay -= 1;
  }

  return (asked) =>
    new Promise((resolve, reject) => {
      waiting.push({ asked, resolve, reject });
      void work();
    });
}
