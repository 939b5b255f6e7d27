import type { Topic } from '../call.ts';
import type { End } from '../calls.ts';
import { type CallRequest, endsOf, type OnDone, type Reply } from '../reply.ts';
import type { StoreChanges } from '../serving-store.ts';

/** The listeners for calls before they are answered. */
export class Listeners implements StoreChanges {
  readonly #topics: { topic: Topic; listener: () => void }[] = [];
  readonly #ends: ((ends: readonly End[]) => void)[] = [];
  readonly #done = new Set<OnDone>();

  onTouched(topic: Topic, listener: () => void): void {
    this.#topics.push({ topic, listener });
  }

  onEnds(listener: (ends: readonly End[]) => void): void {
    this.#ends.push(listener);
  }

  onDone(listener: OnDone): () => void {
    this.#done.add(listener);
    return () => void this.#done.delete(listener);
  }

  /** `touched`: by these calls (`touchedBy`). */
  notify(calls: readonly CallRequest[], replies: readonly Reply[], touched: readonly Topic[]): void {
    this.notifyEnds(endsOf(replies));
    this.notifyTouched(touched);
    this.notifyDone(calls, replies);
  }

  notifyEnds(ends: readonly End[]): void {
    if (ends.length > 0) for (const listener of this.#ends) listener(ends);
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
