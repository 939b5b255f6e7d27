import { v7 } from 'uuid';
import { plainEvent } from '../../contract/event-body.ts';
import { type Clock, type Moment, within } from '../../process/clock.ts';
import type { OnGroup } from '../../values/in-groups.ts';
import type { KeyActor, LostRight } from '../calls.ts';
import { answering } from '../handlers/answering.ts';
import { auditor } from '../handlers/audit.ts';
import { type KeyRow, scopesOf } from '../handlers/keys/rows.ts';
import type { WorkspaceRow } from '../handlers/lookups.ts';
import { rights } from '../handlers/people/rights.ts';
import { advice } from '../handlers/suggestions.ts';
import { keyFault } from '../key-fault.ts';
import { MOVED, type MovedRow, refuseMoved } from '../moved.ts';
import { type CallRequest, isRead, type Transport } from '../reply.ts';
import type { SchemaVersion } from '../schema/version.ts';
import type { StoreSettings } from '../settings.ts';
import type { Sql } from '../sql.ts';
import type { OnTrouble } from '../upkeep.ts';
import { acceptPath } from './accept/accept-path.ts';
import { type Asked, postTogether } from './accept/accepting.ts';
import { AssumedSounds } from './accept/assumed-sounds.ts';
import type { CallPath } from './call-path.ts';
import { type Connection, type ConnectionSettings, type Connections, connectionsTo } from './connections.ts';
import { errorReply, openingProblem } from './errors.ts';
import { type Answer, createCommitter, TOO_LATE } from './group-commit.ts';
import { assembleHandlers } from './handlers.ts';
import { migrate, readMigrations, type SchemaRight } from './migrations.ts';
import { NO_NODE } from './nodes/leases.ts';
import { type NodeLife, type NodeOptions, noNode, type OwnNode, openNode } from './nodes/node.ts';
import { refuseServer, tryAbilities } from './opening.ts';
import { type LetGo, NOTHING_OWNED } from './queue/letting-go.ts';
import { type QueuePath, queuePath } from './queue/queue-path.ts';
import { limitsPath } from './shared-limits.ts';

/** Options of the store, with the node's name in a serving process. */
export interface PostgresOptions extends ConnectionSettings, Partial<NodeOptions> {
  readonly settings: StoreSettings;
  /** Permitted schema changes; undefined: additions. */
  readonly may?: SchemaRight;
  /** Called after each group of changes or events, with calls and duration. */
  readonly onGroup?: OnGroup | undefined;
  /** Called when a node's background work fails repeatedly, and on recovery. */
  readonly onTrouble?: OnTrouble | undefined;
  /** A caller's longest wait in ms, even without the database's answer. */
  readonly answerWithinMs?: number;
  /** Replaces the database's clock in tests. */
  readonly clock?: Clock | undefined;
}

/** `close` first waits for current work. */
export interface PostgresStore extends Transport, Pick<NodeLife, 'notify'> {
  readonly connections: Connections;
  readonly schema: SchemaVersion;
}

/** A serving process's store: it works off the queue, and receives other nodes' notices. */
export interface PostgresNode extends PostgresStore, NodeLife {}

/** The queue's own connections: events are accepted even while it is stuck. */
const QUEUE_CONNECTIONS = 6;
/** No client waits for these answers. */
const QUEUE_STATEMENT_MS = 15_000;

const ANSWER_MS = 4_500;

/** Opens the database, and adds to its schema what is missing. Throws an `OperatorProblem` if it cannot. */
export async function openPostgres(options: PostgresOptions & NodeOptions): Promise<PostgresNode>;
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore>;
export async function openPostgres({
  settings,
  node,
  listenUrl,
  may = 'add',
  leaseMs,
  onGroup,
  onTrouble,
  clock,
  answerWithinMs = ANSWER_MS,
  connect = connectionsTo,
  ...connecting
}: PostgresOptions): Promise<PostgresStore> {
  const connections = connect(connecting);
  try {
    await connections.lend((connection) => refuseServer(connection, connections.place));
    if (node !== undefined) await tryAbilities(connections);
    const schema = await migrate(connections, readMigrations(), may);
    await refuseMovedFrom(connections);
    const own =
      node === undefined ? null : await openNode(connecting, { node, listenUrl, leaseMs, onTrouble, connect });
    const queueConnections =
      own && connect({ ...connecting, most: QUEUE_CONNECTIONS, statementMs: QUEUE_STATEMENT_MS });
    const { changes, life, leave } = own ?? noNode(connections);
    const nodeOf = () => own?.membership.node ?? NO_NODE;
    const sounds = new AssumedSounds();
    const queue =
      own && queuePath(queueConnections ?? connections, { settings, membership: own.membership, onTrouble, clock });
    own?.changes.onTouched('queue', () => queue?.noteFree());
    own?.changes.onRevocations((ends) => {
      for (const { eventId } of ends) if (eventId !== null) queue?.endCancelled(eventId);
    });
    own?.changes.onLiving((count) => queue?.shareWith(count - 1));
    const letGo = queue?.lettingGo.inTransaction ?? NOTHING_OWNED;
    const committer = createCommitter(connections, {
      answerOf: answersOver({ settings, nodeOf, sounds, letGo }),
      async committed(committed) {
        queue?.noteFree();
        await changes.committed(committed);
      },
      onEnd: (error) => queue?.lettingGo.transactionEnded(error),
      onGroup,
      clock,
      checkClock: own && (() => own.membership.beat()),
      answerWithinMs,
    });
    const lanes = lanesOf(connections, own, {
      settings,
      sounds,
      onGroup,
      clock,
      node: nodeOf,
      queue,
      answerWithinMs,
    });
    const ask = async (call: CallRequest) => {
      const reply = await (lanes.find(({ canTake: takes }) => takes(call)) ?? committer).answer(call);
      // Its changes may be stored, and are announced by nobody.
      if (reply.kind === 'unavailable' && reply.mayBeDone === true && !isRead(call)) changes.reportMissed();
      return reply;
    };
    const close = async () => {
      await leave();
      await queueConnections?.close();
      await connections.close();
    };
    return Object.assign(life, { ask, connections, schema, close });
  } catch (error) {
    await connections.close();
    throw openingProblem(connections.place, error);
  }
}

/** Rejects a moved database. Processes that have it open are rejected at each change. */
async function refuseMovedFrom({ lend, place }: Connections): Promise<void> {
  refuseMoved(place, await lend(({ sql }) => sql.get<object, MovedRow>(MOVED)({})));
}

function lanesOf(
  connections: Connections,
  own: OwnNode | null,
  deps: Pick<PostgresOptions, 'settings' | 'onGroup' | 'clock'> & {
    readonly node: () => number;
    readonly sounds: AssumedSounds;
    readonly queue: QueuePath | null;
    readonly answerWithinMs: number;
  },
): readonly CallPath[] {
  const forClients = [
    // Announces events accepted here.
    acceptPath(connections, {
      ...deps,
      ownUpTo: () => deps.queue?.ownUpTo() ?? 0,
      onAccepted(node, owned, targets) {
        if ((deps.queue?.add(node, owned, targets) ?? 0) > 0) own?.hintWork();
      },
      onUncertain: () => deps.queue?.becameUncertain(),
    }),
    limitsPath(connections, deps.clock),
    writeProbePath(connections, deps),
  ].map((lane) => answeringWithin(deps.answerWithinMs, lane));
  return deps.queue === null ? forClients : [...forClients, deps.queue];
}

/** Limits a path's time to answer, even without the database's answer. */
function answeringWithin(ms: number, { canTake: takes, answer }: CallPath): CallPath {
  return { canTake: takes, answer: (call) => within(ms, answer(call), TOO_LATE) };
}

interface AnswerDeps {
  readonly settings: StoreSettings;
  readonly nodeOf: () => number;
  readonly sounds: AssumedSounds;
  readonly letGo: LetGo;
}

/** Creates a connection's handlers once. */
function answersOver(deps: AnswerDeps): (connection: Connection) => Answer {
  const known = new WeakMap<Connection, Answer>();
  return (connection) => {
    const answer = known.get(connection) ?? answersOf(connection, deps);
    known.set(connection, answer);
    return answer;
  };
}

function answersOf(connection: Connection, { settings, nodeOf, sounds, letGo }: AnswerDeps): Answer {
  const { sql } = connection;
  return answering(assembleHandlers(connection, settings, nodeOf, sounds, letGo), {
    rights: rights(sql, keyRights(sql)),
    record: auditor(sql),
    advise: advice(sql),
  });
}

interface JudgedKey extends Pick<KeyRow, 'scopes' | 'expires_at' | 'revoked_at'> {
  readonly status: WorkspaceRow['status'];
}

/** Returns the right that an API key lacks; null: none. */
function keyRights(sql: Sql): (actor: KeyActor, now: Moment) => Promise<LostRight | null> {
  const key = sql.get<{ id: string }, JudgedKey>(`
    SELECT scopes, expires_at, revoked_at, workspace.status
    FROM api_key JOIN workspace ON workspace.id = api_key.workspace_id WHERE api_key.id = :id
  `);

  return async ({ id, scope }, { wallMs }) => {
    const found = await key({ id });
    if (found === undefined) return 'unauthenticated';
    const { revoked_at: revokedAtMs, expires_at: expiresAtMs, status: workspaceStatus } = found;
    return keyFault({ revokedAtMs, expiresAtMs, workspaceStatus, scopes: scopesOf(found) }, scope, wallMs);
  };
}

const WRITE = 'SELECT prove_storing()';
const WITHIN_MS = 1_000;

/** An event of a key that does not exist. Judging it uses all that a post uses, and stores nothing. */
function probeEvent(): Asked {
  const { links: _, ...event } = plainEvent('probe', 'probe');
  const sender = { workspaceId: 0, boundKeyId: null, postedBy: null, perMinute: 1_000 };
  const args = { ...event, ...sender, uuid: v7(), hadLinks: false, linksMark: null, idempotencyKey: 'probe' };
  return { isCheck: false, key: { kind: 'key', id: 'probe', scope: 'events:write' }, args };
}

/** Proves that events can be stored. Bypasses the committer: long changes make no server unready. */
function writeProbePath({ lend }: Connections, { settings }: { readonly settings: StoreSettings }): CallPath {
  const node = { node: NO_NODE, home: NO_NODE, limited: new Set<number>(), sounds: new AssumedSounds() };
  const how = { ...node, settings, canWait: false, withinMs: WITHIN_MS };
  return {
    canTake: ({ name }) => name === 'proveWritable',
    async answer() {
      try {
        await lend(async (connection) => {
          await postTogether(connection, [probeEvent()], how);
          await connection.execute(WRITE);
        });
        return { kind: 'answer', answer: null };
      } catch (error) {
        return errorReply(error);
      }
    },
  };
}
