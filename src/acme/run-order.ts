import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Challenge, OrderJob, Outcome } from './order.ts';

const DEADLINE_MS = 10 * 60_000;

/** What a certificate authority is shown while an order is under way. */
export interface Shown {
  show(challenge: Challenge): void;
  clear(): void;
}

/** Orders a certificate in a process of its own, whose memory goes with it. Never rejects. */
export async function runOrder(job: OrderJob, shown: Shown, signal: AbortSignal): Promise<Outcome> {
  const none = (sentence: string, type: string | null): Outcome => {
    const problem = { sentence, type, retryAfterMs: null };
    return { pair: null, accountKey: null, problem, clockOffMs: null };
  };
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const child = fork(join(import.meta.dirname, 'child.js'), [], {
    execArgv: [],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    killSignal: 'SIGKILL',
    signal,
  });
  const deadline = setTimeout(() => {
    resolve(none('there was no result within ten minutes', null));
    child.kill('SIGKILL');
  }, DEADLINE_MS);
  child.on('error', ({ message, code }: NodeJS.ErrnoException) =>
    resolve(none(`the process that asks for it cannot be started: ${message}`, code ?? null)),
  );
  // Behind all that it has said.
  child.once('close', (status, by) =>
    resolve(none(`the process that asks for it ended before its time (${by ?? status})`, null)),
  );
  child.on('message', (message: { challenge?: Challenge; outcome?: Outcome }) => {
    if (message.outcome !== undefined) resolve(message.outcome);
    if (message.challenge === undefined) return;
    shown.show(message.challenge);
    child.send({});
  });
  child.send(job);
  const outcome = await promise;
  clearTimeout(deadline);
  shown.clear();
  return outcome;
}
