import type { Store } from '../../src/http/auth.ts';
import type { CallName } from '../../src/store/calls.ts';
import { CALL_NAMES, EFFECTS } from '../../src/store/effects.ts';
import { temporaryStore } from './store.ts';

/** A store of this test's own behind the asynchronous face that the server sees. */
export async function openTestStore(): Promise<Store> {
  const { calls, db } = temporaryStore();
  const listeners: (() => void)[] = [];
  const call = async (name: CallName, args: unknown): Promise<unknown> => {
    const answer = (calls[name] as (given: unknown) => unknown)(args);
    if (EFFECTS[name].touches?.includes('keys')) for (const listener of listeners) listener();
    return answer;
  };
  const face = Object.fromEntries(CALL_NAMES.map((name) => [name, (args: unknown) => call(name, args)]));
  return {
    ...(face as unknown as Omit<Store, 'close' | 'onTouched'>),
    onTouched: (_topic, listener) => listeners.push(listener),
    close: async () => void db.close(),
  };
}
