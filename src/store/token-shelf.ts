import type { SignedToken, StoreClient } from './calls.ts';

type Offered = Pick<SignedToken, 'token' | 'signedAtMs'>;

/** Signed tokens shared by a store's processes, as a `TokenShelf` for the providers. */
export function tokenShelf(store: Pick<StoreClient, 'shareToken' | 'tokenAccepted'>) {
  return {
    find: (name: string): Promise<SignedToken | null> => store.shareToken({ name, offered: null }),
    async offer(name: string, offered: Offered, instead: string | null): Promise<SignedToken> {
      const found = await store.shareToken({ name, offered: { ...offered, instead } });
      return found ?? { ...offered, ageMs: 0, isAccepted: false };
    },
    accepted: (name: string, token: string): Promise<null> => store.tokenAccepted({ name, token }),
  };
}
