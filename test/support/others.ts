import { Lease } from '../../src/process/clock.ts';
import type { Others } from '../../src/store/client.ts';

/** Servers of a cluster, each as what the others are to it: all that one sends gets to all others at once. */
export interface TestCluster {
  readonly members: readonly Others[];
  /** All that was sent. */
  readonly sent: readonly { readonly kind: string; readonly payload: string }[];
  /** Something may have been lost on its way to this one. */
  miss(member: number): void;
  /** From now on so many live. */
  live(count: number): void;
}

export function testCluster(count: number): TestCluster {
  const sent: { readonly kind: string; readonly payload: string }[] = [];
  const members = Array.from({ length: count }, () => ({
    listeners: [] as { readonly kind: string; readonly listener: (payload: string) => void }[],
    missed: [] as (() => void)[],
    living: [] as ((count: number) => void)[],
  }));
  const others = members.map(
    (self): Others => ({
      lease: new Lease(),
      introduce() {},
      notify(kind, payload) {
        sent.push({ kind, payload });
        for (const other of members.filter((member) => member !== self)) {
          for (const { kind: listenerKind, listener } of other.listeners) if (listenerKind === kind) listener(payload);
        }
      },
      onNotice: (kind, listener) => void self.listeners.push({ kind, listener }),
      onDismissed: () => undefined,
      onMissed: (listener) => void self.missed.push(listener),
      onLiving(listener) {
        self.living.push(listener);
        listener(count);
      },
    }),
  );
  return {
    members: others,
    sent,
    miss(member) {
      for (const listener of members[member]?.missed ?? []) listener();
    },
    live(living) {
      for (const { living: listeners } of members) for (const listener of listeners) listener(living);
    },
  };
}
