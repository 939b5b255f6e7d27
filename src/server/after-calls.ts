import type { AnswerOf, ArgsOf, CallName } from '../store/calls.ts';
import type { StoreChanges } from '../store/serving-store.ts';

type AfterCalls = { readonly [N in CallName]?: (args: ArgsOf<N>, answer: AnswerOf<N>) => void };

/** What the server does after calls that were carried out, before they are answered, whichever way they came. */
export function afterCalls(store: Pick<StoreChanges, 'onDone'>, after: AfterCalls): void {
  store.onDone(({ name, args }, answer) => after[name]?.(args as never, answer as never));
}
