import type { Lease } from '../../../process/lease.ts';
import type { OnTrouble } from '../../upkeep.ts';
import { type ConnectionSettings, type Connections, connectionsTo } from '../connections.ts';
import { LONGEST_SILENCE_MS, LONGEST_STATEMENT_MS, rowsOver } from './asking.ts';
import { type ChangeListeners, type Changes, changesOver } from './changes.ts';
import { joinAs, LEASE_MS, type Membership, type NodeAbout } from './leases.ts';
import { type Notices, noticesOver, notifierOver } from './notices.ts';

export interface NodeOptions {
  /** Its name. */
  readonly node: string;
  /** Where it listens to the others, if not at `url`: a pooler may give no sessions. */
  readonly listenUrl?: string | undefined;
  /** For how long it may be silent before the others take it for dead: for tests. */
  readonly leaseMs?: number | undefined;
  /** Called when the lease cannot be renewed, or notices cannot be listened for, and when they can again. */
  readonly onTrouble?: OnTrouble | undefined;
  /** Instead of connections that begin and end with it: for tests. */
  readonly connect?: typeof connectionsTo | undefined;
}

/** The notices between a process that serves a store and the others. */
export interface NodeLife extends ChangeListeners, Pick<Notices, 'onNotice' | 'onMissed' | 'notify'> {
  /** For how long it may send what it has claimed. */
  readonly lease: Lease;
  /** From now on it reports this of itself, every two seconds. */
  introduce(about: () => NodeAbout): void;
  /** The id of its row: another one after it was taken for dead. */
  readonly node: number;
}

/** Of one process: its place among the nodes. */
export interface OwnNode {
  readonly life: NodeLife;
  readonly membership: Membership;
  readonly changes: Changes;
  /** Something came into the queue: the others may help, if this node has not claimed all of it soon. */
  hintWork(): void;
  leave(): Promise<void>;
}

const LOOK_EVERY_MS = 1_000;
const HINT_EVERY_MS = 20;

/** Its own connections: a beat must not wait for calls that take long. */
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
    // Where it listens at the database itself, that is reported as away or not.
    const listening = { url: listenUrl, onTrouble: listenUrl === connecting.url ? () => {} : onTrouble };
    const notices = await noticesOver(connections, listening);
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
  // What fails is made up for by the next look.
  const look = () => void changes.look().catch(() => {});
  notices.onNotice('changes', look);
  notices.onNotice('confirmed', () => changes.confirmed());
  notices.onNotice('queue', () => changes.touch(['queue']));
  let hasHeard = false;
  notices.onMissed(() => {
    // After a break the database may be another one, which was behind it.
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
      onMissed: notices.onMissed,
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

/** A process that is none, such as a command: it changes and notifies, and hears nothing. */
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

/** Beside the store's own kinds. */
function ofServers(kind: string): string {
  return `server.${kind}`;
}
