import type { Topic } from '../call.ts';
import type { Revocation } from '../calls.ts';
import type { StoreChanges } from '../client.ts';
import { type CallRequest, type OnDone, type Reply, revocationsOf } from '../reply.ts';

/** Listeners run before calls are answered. */
export class Listeners implements StoreChanges {
  readonly #topics: { topic: Topic; listener: () => void }[] = [];
  readonly #revocations: ((revocations: readonly Revocation[]) => void)[] = [];
  readonly #done = new Set<OnDone>();

  onTouched(topic: Topic, listener: () => void): void {
    this.#topics.push({ topic, listener });
  }

  onRevocations(listener: (revocations: readonly Revocation[]) => void): void {
    this.#revocations.push(listener);
  }

  onDone(listener: OnDone): () => void {
    this.#done.add(listener);
    return () => void this.#done.delete(listener);
  }

  /** `touched`: by these calls (`touchedBy`). */
  notify(calls: readonly CallRequest[], replies: readonly Reply[], touched: readonly Topic[]): void {
    this.notifyRevocations(revocationsOf(replies));
    this.notifyTouched(touched);
    this.notifyDone(calls, replies);
  }

  notifyRevocations(revocations: readonly Revocation[]): void {
    if (revocations.length > 0) for (const listener of this.#revocations) listener(revocations);
  }

  notifyTouched(touched: readonly Topic[]): void {
    for (const { topic, listener } of this.#topics) if (touched.includes(topic)) listener();
  }

  notifyDone(calls: readonly CallRequest[], replies: readonly Reply[]): void {
    if (this.#done.size === 0) return;
    calls.forEach((call, index) => {
      const reply = replies[index];
      if (reply?.kind === 'answer') for (const listener of this.#done) listener(call, reply.answer);
    });
  }
}
