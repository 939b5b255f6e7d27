import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Answer, Handlers, Question, Usage } from './handlers.ts';

type Waiting = { readonly resolve: (answer: unknown) => void; readonly reject: (error: Error) => void };

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeOptions?: readonly string[];
  /** The only core that it may use. */
  readonly core?: number;
  /** A call after which the process ends by itself, and takes its time to write what it has to. */
  readonly lastCall?: string;
}

/** A process of the benchmark: one of the modules beside this one, which serves `V`. */
export class Child<V extends Handlers> {
  readonly #process: ChildProcess;
  readonly #lastCall: string | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  /** Resolves once the process can be asked. */
  static async start<V extends Handlers>(
    name: string,
    { env = {}, nodeOptions = ['--enable-source-maps'], core, lastCall }: ChildOptions = {},
  ): Promise<Child<V>> {
    const module = new URL(`./${name}.js`, import.meta.url);
    const child = fork(module, [], {
      env: { ...process.env, ...env },
      ...(core !== undefined && { execPath: 'taskset' }),
      execArgv: [...(core === undefined ? [] : ['-c', String(core), process.execPath]), ...nodeOptions],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const died = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`${name} ended before it was ready (${signal ?? code})`);
    });
    await Promise.race([once(child, 'message'), died]);
    died.catch(() => {});
    return new Child<V>(name, child, lastCall);
  }

  private constructor(name: string, child: ChildProcess, lastCall: string | undefined) {
    this.#process = child;
    this.#lastCall = lastCall;
    child.on('message', (answer: Answer) => this.#receive(answer));
    child.on('exit', (code, signal) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`${name} ended (${signal ?? code})`));
      this.#waiting.clear();
    });
  }

  ask<N extends keyof V & string>(handler: N, args: Parameters<V[N]>[0]): Promise<Awaited<ReturnType<V[N]>>> {
    return this.#ask(handler, args) as Promise<Awaited<ReturnType<V[N]>>>;
  }

  get pid(): number {
    if (this.#process.pid === undefined) throw new Error('a process that was never started');
    return this.#process.pid;
  }

  usage(): Promise<Usage> {
    return this.#ask('usage', undefined) as Promise<Usage>;
  }

  /** A measured process needs no goodbye, unless it has a last call. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = once(this.#process, 'exit');
    if (this.#lastCall === undefined) this.#process.kill('SIGKILL');
    // Its end is the answer.
    else this.#ask(this.#lastCall, undefined).catch(() => {});
    await gone;
  }

  #ask(handler: string, args: unknown): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#process.send({ id, handler, args } satisfies Question);
    });
  }

  #receive(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('error' in answer) waiting?.reject(new Error(answer.error));
    else waiting?.resolve(answer.answer);
  }
}
