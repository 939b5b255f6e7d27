/** How the benchmark talks to its processes: a handler and its argument there, an answer back, over Node's own channel. */

export type Handlers = Readonly<Record<string, (args: never) => unknown>>;

export interface Question {
  readonly id: number;
  readonly handler: string;
  readonly args: unknown;
}

export type Answer = { readonly id: number } & ({ readonly answer: unknown } | { readonly error: string });

/** The resources that a process has used so far. */
export interface Usage {
  readonly cpuMs: number;
  readonly residentBytes: number;
}

/** A clock that reads the same in all processes of a machine. */
export function sharedMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Answers the parent's questions for as long as it lives. Every process also answers `usage`. */
export function serveHandlers(handlers: Handlers): void {
  const all: Handlers = { ...handlers, usage };
  process.on('message', ({ id, handler, args }: Question) => {
    const report = (answer: Answer) => process.send?.(answer);
    Promise.resolve(args)
      .then(all[handler] as (args: unknown) => unknown)
      .then(
        (answer) => report({ id, answer }),
        (error: Error) => report({ id, error: error.stack ?? String(error) }),
      );
  });
  process.once('disconnect', () => process.exit());
  process.send?.({ id: 0, answer: 'ready' } satisfies Answer);
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() };
}
