import type { Lease } from '../../../lease.ts';
import type { OnTrouble } from '../../upkeep.ts';
import { type ConnectionSettings, type Connections, connectionsTo } from '../connections.ts';
import { LONGEST_SILENCE_MS, LONGEST_STATEMENT_MS, rowsOver } from './asking.ts';
import { joinAs, LEASE_MS, type Membership, type NodeAbout } from './membership.ts';
import { type News, type NewsListeners, newsOver } from './news.ts';
import { type Notices, noticesOver, tellerOver } from './notices.ts';

export interface NodeOptions {
  /** Its name. */
  readonly node: string;
  /** What it reports of itself: asked at each beat, every two seconds. */
  readonly about?: (() => NodeAbout) | undefined;
  /** Where it listens to the others, if not at `url`: a pooler may give no sessions. */
  readonly listenUrl?: string | undefined;
  /** For how long it may be silent before the others take it for dead: for tests. */
  readonly leaseMs?: number | undefined;
  /** Called when the lease cannot be renewed, or notices cannot be listened for, and when they can again. */
  readonly onTrouble?: OnTrouble | undefined;
}

/** The notices between a process that serves a store and the others. */
export interface NodeLife extends NewsListeners, Pick<Notices, 'onTold' | 'onMissed' | 'tell'> {
  /** For how long it may send what it has claimed. */
  readonly lease: Lease;
  /** The id of its row: another one after it was taken for dead. */
  readonly node: number;
}

/** Of one process: its place among the nodes. */
export interface OwnNode {
  readonly life: NodeLife;
  readonly membership: Membership;
  readonly news: News;
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
    about = () => ({ address: null, health: {} }),
    listenUrl = connecting.url,
    leaseMs = LEASE_MS,
    onTrouble = () => {},
  }: NodeOptions,
): Promise<OwnNode> {
  const connections = connectionsTo({
    ...connecting,
    most: CONNECTIONS,
    connectMs: LONGEST_SILENCE_MS,
    statementMs: LONGEST_STATEMENT_MS,
  });
  try {
    const news = newsOver(connections, leaseMs);
    // Where it listens at the database itself, that is reported as away or not.
    const listening = { url: listenUrl, onTrouble: listenUrl === connecting.url ? () => {} : onTrouble };
    const notices = await noticesOver(connections, listening);
    const membership = await joinAs(connections, news, { name, leaseMs, about, onTrouble, hears: () => notices.hears });
    return joined({ connections, news, notices, membership });
  } catch (error) {
    await connections.close();
    throw error;
  }
}

interface Parts {
  readonly connections: Connections;
  readonly news: News;
  readonly notices: Notices;
  readonly membership: Membership;
}

function joined({ connections, news, notices, membership }: Parts): OwnNode {
  // What fails is made up for by the next look.
  const look = () => void news.look().catch(() => {});
  notices.onTold('news', look);
  notices.onTold('confirmed', () => news.confirmed());
  notices.onTold('queue', () => news.touch(['queue']));
  let hasHeard = false;
  notices.onMissed(() => {
    // After a break the database may be another one, which was behind it.
    if (hasHeard) news.recallAll();
    hasHeard = true;
    news.touch();
    look();
  });
  const timer = setInterval(() => void news.lookForWork().catch(() => {}), LOOK_EVERY_MS).unref();
  let isAlone = true;
  news.onLiving((count) => {
    isAlone = count === 1;
  });
  const askRow = rowsOver(connections);
  let isHinted = false;
  const hintIfItWaits = async () => {
    isHinted = false;
    const { waits } = await askRow<{ readonly waits: boolean }>('SELECT work_waits(NULL) AS waits', []);
    if (waits) notices.tell('queue', '');
  };

  return {
    membership,
    news,
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
      onEnds: news.onEnds,
      onTouched: news.onTouched,
      onLiving: news.onLiving,
      onMissed: notices.onMissed,
      onTold: (kind, listener) => notices.onTold(ofServers(kind), listener),
      tell: (kind, payload) => notices.tell(ofServers(kind), payload),
      lease: membership.lease,
      get node() {
        return membership.node;
      },
    },
  };
}

/** A process that is none, such as a command: it changes and notifies, and hears nothing. */
export function noNode(connections: Connections): Pick<OwnNode, 'news' | 'leave'> & { life: Pick<NodeLife, 'tell'> } {
  const teller = tellerOver(connections);
  return {
    news: newsOver(connections, LEASE_MS),
    life: { tell: (kind, payload) => teller.tell(ofServers(kind), payload) },
    leave: teller.close,
  };
}

/** Beside the store's own kinds. */
function ofServers(kind: string): string {
  return `server.${kind}`;
}
