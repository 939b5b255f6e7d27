import { type Actor, type AnswerOf, type ArgsOf, CALL_NAMES, type CallName, type StoreClient } from './calls.ts';

/** The store as one caller may use it. */
export type ActingStore = { readonly [N in CallName]: (args: ArgsOf<N>) => Promise<AnswerOf<N>> };

/**
 * Every call is in this actor's name: it rejects with `RightsLost` where the actor may no longer do it, and the audit
 * log says who did it. Made for each request, so its methods are made once for all.
 */
export function actingAs(store: StoreClient, actor: Actor): ActingStore {
  return new Acting(store, actor) as unknown as ActingStore;
}

class Acting {
  readonly store: StoreClient;
  readonly actor: Actor;

  constructor(store: StoreClient, actor: Actor) {
    this.store = store;
    this.actor = actor;
  }

  static {
    for (const name of CALL_NAMES) {
      Object.defineProperty(Acting.prototype, name, {
        value(this: Acting, args: never) {
          return this.store[name](args, this.actor);
        },
      });
    }
  }
}
