/** How the benchmark talks to its processes: a verb and its argument there, an answer back, over Node's own channel. */

export type Verbs = Readonly<Record<string, (args: never) => unknown>>;

export interface Question {
  readonly id: number;
  readonly verb: string;
  readonly args: unknown;
}

export type Answer = { readonly id: number } & ({ readonly answer: unknown } | { readonly error: string });

/** What a process has used so far. */
export interface Usage {
  readonly cpuMs: number;
  readonly residentBytes: number;
}

/** A clock that reads the same in all processes of a machine. */
export function sharedMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Answers the parent's questions for as long as it lives. Every process also answers `usage`. */
export function serveVerbs(verbs: Verbs): void {
  const all: Verbs = { ...verbs, usage };
  process.on('message', ({ id, verb, args }: Question) => {
    const tell = (answer: Answer) => process.send?.(answer);
    Promise.resolve(args)
      .then(all[verb] as (args: unknown) => unknown)
      .then(
        (answer) => tell({ id, answer }),
        (error: Error) => tell({ id, error: error.stack ?? String(error) }),
      );
  });
  process.once('disconnect', () => process.exit());
  process.send?.({ id: 0, answer: 'ready' } satisfies Answer);
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() };
}
