import type { Topic } from '../../call.ts';
import type { Revocation } from '../../calls.ts';
import type { Connections } from '../connections.ts';
import { unavailableReason } from '../errors.ts';
import { readMigrations } from '../migrations.ts';
import { rowsOver } from './asking.ts';

/** Changes by this node, others and commands. */
export interface ChangeListeners {
  /** `listener` marks claimed pushes as revoked; its return confirms that. */
  onRevocations(listener: (revocations: readonly Revocation[]) => void): void;
  /** `listener` runs after a change of the topic: before this node's own answer, soon after others'. */
  onTouched(topic: Topic, listener: () => void): void;
  /** `listener` runs at once and at each change with the number of living nodes. */
  onLiving(listener: (count: number) => void): void;
  /** `listener` runs once an upgrade needs this node to leave, with the schema that the node does not know. */
  onDismissed(listener: (oldest: number) => void): void;
  /** `listener` runs if notices of this node or others may be lost, and once a node is evicted: its last ones are. */
  onMissed(listener: () => void): void;
}

/** A change's traces in its transaction. */
export interface CommittedChanges {
  readonly topics: readonly Topic[];
  /** Changes per topic so far. */
  readonly numbers: Numbers;
  /** The newest possibly unconfirmed revocation; null: none, or not queried. */
  readonly newestRevocation: number | null;
}

export interface Changes extends ChangeListeners {
  /** Reads as this node from now on. Earlier revocations do not concern it: it has no claims. */
  readAs(node: number, revocationsSeen: number): Promise<void>;
  /** Reads changes so far. */
  look(): Promise<void>;
  /** The same, and wakes the relay if pushes wait. Announces reported losses. */
  lookForWork(): Promise<void>;
  /** Announces a committed change. Resolves once no living node sends what it revoked. */
  committed(changes: CommittedChanges): Promise<void>;
  /** Announces changed topics without a count; undefined: any topic. */
  touch(topics?: readonly Topic[]): void;
  revokeAll(): void;
  /** Reports that others may miss changes of this node. They learn it by a row, so also after an outage. */
  reportMissed(): void;
  /** Wakes waiting changes: another node confirmed revocations. */
  confirmed(): void;
}

/** Counts possible losses of notices. */
const MISSED = 'missed';

type Numbers = Readonly<Partial<Record<Topic | 'revocations' | 'nodes' | typeof MISSED, number>>>;

interface Read {
  readonly numbers: Numbers;
  readonly living: number;
  readonly work_waits: boolean;
  readonly revocations: readonly Omit<Revocation, 'upTo'>[] | null;
  readonly oldest: number;
}

/** Claims run beside changes in unknown order, so a revocation covers all claimed by now. */
const UP_TO_NOW = { upTo: Number.MAX_SAFE_INTEGER };
const ALL: Revocation = { workspaceId: null, deviceId: null, channelId: null, eventId: null, ...UP_TO_NOW };

const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/**
 * Follows the changes of all nodes. `leaseMs`: the longest time for which a node may miss one. To trust its lease for
 * longer, a node must renew it, and reads the changes first.
 */
export function changesOver(connections: Connections, leaseMs: number): Changes {
  const askRow = rowsOver(connections);
  const revocationListeners: ((revocations: readonly Revocation[]) => void)[] = [];
  const livingListeners: ((count: number) => void)[] = [];
  const touchListeners: { readonly topic: Topic | typeof MISSED; readonly listener: () => void }[] = [];
  const waiting = new Set<() => void>();
  const known = new Map<string, number>();
  const dismissal = Promise.withResolvers<number>();
  let node: number | null = null;
  let revocationsSeen = 0;
  let endsConfirmed = 0;
  let living = 1;
  let hasRead = false;
  let hasLost = false;
  let underWay: Promise<Read | null> | null = null;
  let next: Promise<Read | null> | null = null;

  function notifyRevocations(revocations: readonly Revocation[]): void {
    for (const listener of revocationListeners) listener(revocations);
  }

  function touch(topics?: readonly string[]): void {
    for (const { topic, listener } of touchListeners) if (topics?.includes(topic) ?? true) listener();
  }

  /** Reads one at a time. Calls meanwhile get the next reading, which begins after them. */
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
    // A rejoined node starts with other revocations.
    if (reader !== node) return null;
    take(found);
    return found;
  }

  function take({ numbers, revocations, living: count, oldest }: Read): void {
    if (oldest > readMigrations().length) dismissal.resolve(oldest);
    const newest = numbers.revocations ?? 0;
    // A failover or restore may bring an older database.
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
    // No app was open before its first look.
    touch(touched.map(([topic]) => topic).filter((topic) => hasRead || topic !== MISSED));
    hasRead = true;
  }

  async function announceLosses(): Promise<void> {
    if (!hasLost) return;
    await askRow(`SELECT touch_topics('{${MISSED}}')`, []);
    hasLost = false;
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

  /** Waits at most until the lease ends: by then every node has read the revocation, or no longer trusts its lease. */
  async function untilConfirmed(revocation: number): Promise<void> {
    const deadlineMs = performance.now() + leaseMs;
    for (let pauseMs = SHORTEST_PAUSE_MS; performance.now() < deadlineMs; pauseMs *= 2) {
      if (await isConfirmed(revocation)) return;
      await nextConfirmation(Math.min(pauseMs, LONGEST_PAUSE_MS));
    }
  }

  /** Whether all nodes have confirmed; no if the database is unavailable. */
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
    onMissed: (listener) => void touchListeners.push({ topic: MISSED, listener }),
    onLiving(listener) {
      livingListeners.push(listener);
      listener(Math.max(1, living));
    },
    onDismissed: (listener) => void dismissal.promise.then(listener),
    async readAs(asNode, seen) {
      node = asNode;
      revocationsSeen = seen;
      endsConfirmed = seen;
      await look();
    },
    look: async () => void (await look()),
    async lookForWork() {
      await announceLosses();
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
    reportMissed() {
      hasLost = true;
    },
    confirmed() {
      for (const goOn of waiting) goOn();
    },
  };
}
