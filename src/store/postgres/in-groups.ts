/** Called for each group that was carried out, with its size and duration. */
export type OnGroup = (count: number, tookMs: number) => void;

/** A question whose asker waits for the answer of its group. */
export interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Reports the group to `onGroup` once `carryOut` is done with it. */
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

/** What is done is done, also where the listener throws. */
function report(onGroup: OnGroup | undefined, count: number, tookMs: number): void {
  try {
    onGroup?.(count, tookMs);
  } catch (error) {
    process.emitWarning(error as Error);
  }
}

/** Answers each of a group with what `carryOut` returns in its place; where it throws, all have that. */
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
 * Has all that is asked while a group is under way carried out as the next one, of `most` at most: the slower the
 * database, the larger the groups. `carryOut` answers each of a group, in their order; where it throws, all have that.
 * `atOnce`: so many groups may be under way.
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
