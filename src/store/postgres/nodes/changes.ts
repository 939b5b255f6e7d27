import type { Topic } from '../../call.ts';
import type { Revocation } from '../../calls.ts';
import type { Connections } from '../connections.ts';
import { unavailableReason } from '../errors.ts';
import { rowsOver } from './asking.ts';

/** What a node hears of: changes by itself, by other nodes, and by commands. */
export interface ChangeListeners {
  /** `listener` marks what is out: once it has returned, that is confirmed to the waiting node. */
  onRevocations(listener: (revocations: readonly Revocation[]) => void): void;
  /** `listener` runs after a change touched the topic: of an own one before its answer, of others' soon after theirs. */
  onTouched(topic: Topic, listener: () => void): void;
  /** `listener` runs with the number of nodes that live, this one among them: at once, and whenever it changes. */
  onLiving(listener: (count: number) => void): void;
}

/** What a change leaves behind in its transaction. */
export interface CommittedChanges {
  readonly topics: readonly Topic[];
  /** How often each of them was touched by then. */
  readonly numbers: Numbers;
  /** Id of the newest revocation that some node may not have confirmed; null: there is none, or none was asked for. */
  readonly newestRevocation: number | null;
}

export interface Changes extends ChangeListeners {
  /** What was announced by then does not concern this node: it has nothing out yet. */
  readAs(node: number, revocationsSeen: number): Promise<void>;
  /** Reads what there is by now. */
  look(): Promise<void>;
  /** As `look`, and wakes the relay if something waits in the queue. */
  lookForWork(): Promise<void>;
  /** A change is committed. Resolves once no living node sends what it revoked. */
  committed(changes: CommittedChanges): Promise<void>;
  /** Something was touched that is not counted, or it is unknown what. */
  touch(topics?: readonly Topic[]): void;
  /** Whatever is out is called back. */
  revokeAll(): void;
  /** Another node has confirmed revocations. */
  confirmed(): void;
}

type Numbers = Readonly<Partial<Record<Topic | 'revocations' | 'nodes', number>>>;

interface Read {
  readonly numbers: Numbers;
  readonly living: number;
  readonly work_waits: boolean;
  readonly revocations: readonly Omit<Revocation, 'upTo'>[] | null;
}

/** Claims are made beside the changes, so no order says which were judged by one: all that is out by now is meant. */
const UP_TO_NOW = { upTo: Number.MAX_SAFE_INTEGER };
const ALL: Revocation = { workspaceId: null, deviceId: null, channelId: null, eventId: null, ...UP_TO_NOW };

const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/**
 * `leaseMs`: what a node may miss at most. One that trusts its lease for longer has asked for it since, and reads before
 * it does so.
 */
export function changesOver(connections: Connections, leaseMs: number): Changes {
  const askRow = rowsOver(connections);
  const revocationListeners: ((revocations: readonly Revocation[]) => void)[] = [];
  const livingListeners: ((count: number) => void)[] = [];
  const touchListeners: { readonly topic: Topic; readonly listener: () => void }[] = [];
  const waiting = new Set<() => void>();
  const known = new Map<string, number>();
  let node: number | null = null;
  let revocationsSeen = 0;
  let endsConfirmed = 0;
  let living = 1;
  let underWay: Promise<Read | null> | null = null;
  let next: Promise<Read | null> | null = null;

  function notifyRevocations(revocations: readonly Revocation[]): void {
    for (const listener of revocationListeners) listener(revocations);
  }

  function touch(topics?: readonly string[]): void {
    for (const { topic, listener } of touchListeners) if (topics?.includes(topic) ?? true) listener();
  }

  /** One reading at a time. What is asked for meanwhile begins after it, and so sees what was there by then. */
  function read(): Promise<Read | null> {
    if (underWay === null) {
      underWay = readOnce().finally(() => {
        underWay = null;
      });
      return underWay;
    }
    next ??= underWay
      .catch(() => null)
      .then(() => {
        next = null;
        return read();
      });
    return next;
  }

  async function readOnce(): Promise<Read | null> {
    const reader = node;
    const found = await askRow<Read>('SELECT * FROM read_changes($1, $2)', [reader, revocationsSeen]);
    // Joined anew meanwhile, it begins with other revocations.
    if (reader !== node) return null;
    take(found);
    return found;
  }

  function take({ numbers, revocations, living: count }: Read): void {
    const newest = numbers.revocations ?? 0;
    // After a failover, or from a backup, the database may be an older one.
    if (newest < revocationsSeen) notifyRevocations([ALL]);
    else if (revocations !== null)
      notifyRevocations(revocations.map((revocation) => ({ ...revocation, ...UP_TO_NOW })));
    revocationsSeen = newest;
    if (count !== living) {
      living = count;
      for (const listener of livingListeners) listener(Math.max(1, living));
    }
    const touched = Object.entries(numbers).filter(([topic, number]) => number !== known.get(topic));
    for (const [topic, number] of touched) known.set(topic, number);
    touch(touched.map(([topic]) => topic));
  }

  async function look(): Promise<Read | null> {
    const found = await read();
    const upTo = revocationsSeen;
    if (node !== null && upTo !== endsConfirmed) {
      await askRow('SELECT confirm_revocations($1, $2)', [node, upTo]);
      endsConfirmed = upTo;
    }
    return found;
  }

  /** By the lease's end at the latest every node has read it, or trusts its lease no longer. */
  async function untilConfirmed(revocation: number): Promise<void> {
    const deadlineMs = performance.now() + leaseMs;
    for (let pauseMs = SHORTEST_PAUSE_MS; performance.now() < deadlineMs; pauseMs *= 2) {
      if (await isConfirmed(revocation)) return;
      await nextConfirmation(Math.min(pauseMs, LONGEST_PAUSE_MS));
    }
  }

  /** Where the database cannot be asked, it is not known. */
  async function isConfirmed(revocation: number): Promise<boolean> {
    try {
      if (node !== null) await look();
      const { behind } = await askRow<{ readonly behind: number }>('SELECT nodes_behind($1) AS behind', [revocation]);
      return behind === 0;
    } catch (error) {
      if (unavailableReason(error) === undefined) throw error;
      return false;
    }
  }

  async function nextConfirmation(mostMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, mostMs);
    waiting.add(resolve);
    await promise;
    clearTimeout(timer);
    waiting.delete(resolve);
  }

  return {
    onRevocations: (listener) => void revocationListeners.push(listener),
    onTouched: (topic, listener) => void touchListeners.push({ topic, listener }),
    onLiving(listener) {
      livingListeners.push(listener);
      listener(Math.max(1, living));
    },
    async readAs(asNode, seen) {
      node = asNode;
      revocationsSeen = seen;
      endsConfirmed = seen;
      await look();
    },
    look: async () => void (await look()),
    async lookForWork() {
      const found = await look();
      if (found?.work_waits) touch(['queue']);
    },
    async committed({ topics, numbers, newestRevocation }) {
      for (const topic of topics) known.set(topic, numbers[topic] ?? 0);
      touch(topics);
      if (newestRevocation !== null) await untilConfirmed(newestRevocation);
    },
    touch,
    revokeAll: () => notifyRevocations([ALL]),
    confirmed() {
      for (const goOn of waiting) goOn();
    },
  };
}
