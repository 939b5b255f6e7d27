import type { Lease } from '../../../process/clock.ts';
import type { OnTrouble } from '../../upkeep.ts';
import { type ConnectionSettings, type Connections, connectionsTo } from '../connections.ts';
import { LONGEST_SILENCE_MS, LONGEST_STATEMENT_MS, rowsOver } from './asking.ts';
import { type ChangeListeners, type Changes, changesOver } from './changes.ts';
import { joinAs, LEASE_MS, type Membership, type NodeAbout } from './leases.ts';
import { type Notices, noticesOver, notifierOver } from './notices.ts';

export interface NodeOptions {
  /** The name of the node. */
  readonly node: string;
  /** The address for notices, if not `url`: poolers may not provide sessions. */
  readonly listenUrl?: string | undefined;
  /** The lease's length in ms: for tests. */
  readonly leaseMs?: number | undefined;
  /** Called when leases or notices fail, and when they work again. */
  readonly onTrouble?: OnTrouble | undefined;
  /** Replaces the node's connections: for tests. */
  readonly connect?: typeof connectionsTo | undefined;
}

/** Notices between the store's servers. */
export interface NodeLife extends ChangeListeners, Pick<Notices, 'onNotice' | 'notify'> {
  /** The time in which it may send its claims. */
  readonly lease: Lease;
  /** Sets its report every two seconds. */
  introduce(about: () => NodeAbout): void;
  /** Its row's id, new after an eviction. */
  readonly node: number;
}

/** This process among the nodes. */
export interface OwnNode {
  readonly life: NodeLife;
  readonly membership: Membership;
  readonly changes: Changes;
  /** Announces new pushes: other nodes may help if this one does not claim all soon. */
  hintWork(): void;
  leave(): Promise<void>;
}

const LOOK_EVERY_MS = 1_000;
const HINT_EVERY_MS = 20;

/** Own connections, so that no heartbeat waits for long calls. */
const CONNECTIONS = 2;

export async function openNode(
  connecting: ConnectionSettings,
  {
    node: name,
    listenUrl = connecting.url,
    leaseMs = LEASE_MS,
    onTrouble = () => {},
    connect = connectionsTo,
  }: NodeOptions,
): Promise<OwnNode> {
  const connections = connect({
    ...connecting,
    most: CONNECTIONS,
    connectMs: LONGEST_SILENCE_MS,
    statementMs: LONGEST_STATEMENT_MS,
  });
  try {
    const changes = changesOver(connections, leaseMs);
    // Reported elsewhere if it listens at the database itself.
    const reported = listenUrl === connecting.url ? () => {} : onTrouble;
    const notices = await noticesOver(connections, {
      url: listenUrl,
      onTrouble: reported,
      // The store's own notices are hints: each node looks anyway.
      onUnsent: (kind) => kind.startsWith(OF_SERVERS) && changes.reportMissed(),
    });
    const membership = await joinAs(connections, changes, {
      name,
      leaseMs,
      onTrouble,
      canHear: () => notices.canHear,
    });
    return buildOwnNode({ connections, changes, notices, membership });
  } catch (error) {
    await connections.close();
    throw error;
  }
}

interface Parts {
  readonly connections: Connections;
  readonly changes: Changes;
  readonly notices: Notices;
  readonly membership: Membership;
}

function buildOwnNode({ connections, changes, notices, membership }: Parts): OwnNode {
  // The next look makes up for a failure.
  const look = () => void changes.look().catch(() => {});
  notices.onNotice('changes', look);
  notices.onNotice('confirmed', () => changes.confirmed());
  notices.onNotice('queue', () => changes.touch(['queue']));
  let hasHeard = false;
  notices.onMissed(() => {
    // After a break the database may be a lagging one.
    if (hasHeard) changes.revokeAll();
    hasHeard = true;
    changes.touch();
    look();
  });
  const timer = setInterval(() => void changes.lookForWork().catch(() => {}), LOOK_EVERY_MS).unref();
  let isAlone = true;
  changes.onLiving((count) => {
    isAlone = count === 1;
  });
  const askRow = rowsOver(connections);
  let isHinted = false;
  const hintIfItWaits = async () => {
    isHinted = false;
    const { waits } = await askRow<{ readonly waits: boolean }>('SELECT work_waits(NULL) AS waits', []);
    if (waits) notices.notify('queue', '');
  };

  return {
    membership,
    changes,
    hintWork() {
      if (isAlone || isHinted) return;
      isHinted = true;
      setTimeout(() => void hintIfItWaits().catch(() => {}), HINT_EVERY_MS).unref();
    },
    async leave() {
      clearInterval(timer);
      await notices.close();
      await membership.leave();
      await connections.close();
    },
    life: {
      onRevocations: changes.onRevocations,
      onTouched: changes.onTouched,
      onLiving: changes.onLiving,
      onDismissed: changes.onDismissed,
      onMissed: changes.onMissed,
      onNotice: (kind, listener) => notices.onNotice(ofServers(kind), listener),
      notify: (kind, payload) => notices.notify(ofServers(kind), payload),
      lease: membership.lease,
      introduce: membership.introduce,
      get node() {
        return membership.node;
      },
    },
  };
}

/** Returns the life of a command, which is no node: it sends notices, but receives none. */
export function noNode(
  connections: Connections,
): Pick<OwnNode, 'changes' | 'leave'> & { life: Pick<NodeLife, 'notify'> } {
  const notifier = notifierOver(connections);
  return {
    changes: changesOver(connections, LEASE_MS),
    life: { notify: (kind, payload) => notifier.notify(ofServers(kind), payload) },
    leave: notifier.close,
  };
}

/** Separates servers' notices from the store's. */
const OF_SERVERS = 'server.';

function ofServers(kind: string): string {
  return `${OF_SERVERS}${kind}`;
}
