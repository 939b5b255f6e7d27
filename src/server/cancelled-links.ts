import type { LinkMemory } from '../delivery/link-memory.ts';
import { isRefusal } from '../store/calls.ts';
import { CANCELLED, type ServingStore } from '../store/serving-store.ts';

/** The same store. The links of an event that is taken back are dropped, also by the other servers. */
export function droppingLinks(store: ServingStore, links: Pick<LinkMemory, 'drop'>): ServingStore {
  return {
    ...store,
    async cancelEvent(args, actor) {
      const answer = await store.cancelEvent(args, actor);
      if (!isRefusal(answer)) {
        links.drop(args.publicId);
        store.others?.tell(CANCELLED, args.publicId);
      }
      return answer;
    },
  };
}
