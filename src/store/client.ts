import type { Lease } from '../process/clock.ts';
import type { Route, VapidKeys } from '../push.ts';
import type { Topic } from './call.ts';
import {
  type Actor,
  type AnswerOf,
  type ArgsOf,
  CALL_NAMES,
  type CallName,
  type CallRequest,
  type LivePauses,
  type LiveRoute,
  type Reader,
  type Revocation,
  type SignedToken,
  type StoreClient,
  type Transport,
} from './calls.ts';
import { type OnDone, restOf, unpack } from './reply.ts';

/** Replaced calls. */
type Calls = { readonly [N in CallName]?: StoreClient[N] };

/** Returns the store's calls as methods. `actorOf`: for calls without actor. */
export function clientOver(line: Transport, actorOf?: () => Actor): StoreClient {
  const transport = actorOf === undefined ? line : withActor(line, actorOf);
  const calls = CALL_NAMES.map((name) => [
    name,
    (args: unknown, actor?: Actor, reader?: Reader) =>
      carryOut(transport, { name, args, ...(actor && { actor }) }, reader),
  ]);
  return {
    ...Object.fromEntries(calls),
    transport,
    as: (actor: Actor) => new Acting(transport, actor),
    close: () => transport.close(),
  } as StoreClient;
}

export function withCalls<S extends StoreClient>(store: S, calls: Calls): S {
  const transport: Transport = {
    async ask(call, reader) {
      const carryOutOtherwise = calls[call.name] as StoreClient[CallName] | undefined;
      if (carryOutOtherwise === undefined) return store.transport.ask(call, reader);
      return { kind: 'answer', answer: await carryOutOtherwise(call.args as never, call.actor, reader) };
    },
    close: () => store.close(),
  };
  return { ...store, ...clientOver(transport) };
}

function withActor(transport: Transport, actorOf: () => Actor): Transport {
  return {
    ask: (call, reader) => transport.ask({ ...call, actor: call.actor ?? actorOf() }, reader),
    close: () => transport.close(),
  };
}

/** Made per request, so methods are made once for all. */
class Acting {
  readonly transport: Transport;
  readonly actor: Actor;

  constructor(transport: Transport, actor: Actor) {
    this.transport = transport;
    this.actor = actor;
  }

  static {
    for (const name of CALL_NAMES) {
      Object.defineProperty(Acting.prototype, name, {
        value(this: Acting, args: unknown) {
          return carryOut(this.transport, { name, args, actor: this.actor });
        },
      });
    }
  }
}

/** Makes a call and the calls that continue it. Returns its answer. */
export async function carryOut(
  transport: Pick<Transport, 'ask'>,
  call: CallRequest,
  reader?: Reader,
): Promise<unknown> {
  let answer = unpack(await transport.ask(call, reader));
  for (let next = restOf(call, answer); next !== null; ) {
    const reply = await transport.ask(next);
    const part = unpack(reply.kind === 'unavailable' ? { ...reply, mayBeDone: true } : reply);
    if (next.name === call.name) answer = part;
    next = restOf(next, part);
  }
  return answer;
}

/** A serving process's store: its calls, and their changes, known before the answers. */
export interface ServingStore extends StoreClient, StoreChanges {
  /** Whether this process can answer, however slowly. Asks no remote database. */
  isAlive(): Promise<boolean>;
  /** Returns why events cannot be stored, if known without asking a remote database; null: they can. */
  fault(): Promise<Fault | null>;
  /** Checks every page beside the work. Findings count as damage; empty: none. PostgreSQL checks its own. */
  check(): Promise<readonly string[]>;
  /** Other servers of the store; null: unshared. */
  readonly others: Others | null;
}

/** `reason`: in words. `isDamage`: damaged database pages. `isLasting`: until a restore. */
export interface Fault {
  readonly reason: string;
  readonly isDamage: boolean;
  readonly isLasting: boolean;
}

/** The notice of a cancelled event, with its public id. */
export const CANCELLED = 'cancelled';

/** Notices between a store's servers: hints that may be lost. */
export interface Others {
  /** How long this server may send its claims before another takes over. */
  readonly lease: Lease;
  /** Introduces this server to others and operators. `address`: where it listens. */
  introduce(about: () => { readonly address: string | null; readonly health: object }): void;
  /** Notifies all others. `kind`: a word; `payload`: at most 4 KB, no links: the database writes it to disk. */
  notify(kind: string, payload: string): void;
  /** `listener` runs with others' notices of this kind. */
  onNotice(kind: string, listener: (payload: string) => void): void;
  /** `listener` runs after possible losses. */
  onMissed(listener: () => void): void;
  /** `listener` runs at once and at each change with the number of live servers. */
  onLiving(listener: (count: number) => void): void;
  /** `listener` runs once an upgrade needs this server to stop, with the schema that this program does not know. */
  onDismissed(listener: (oldest: number) => void): void;
}

export interface StoreChanges {
  /** `listener` runs after a call touched the topic, before its answer. */
  onTouched(topic: Topic, listener: () => void): void;
  /** `listener` runs with calls' revocations, before their answers. */
  onRevocations(listener: (revocations: readonly Revocation[]) => void): void;
  /** `listener` runs per executed call, before its answer. Returns how to end that. */
  onDone(listener: OnDone): () => void;
}

type AfterCalls = { readonly [N in CallName]?: (args: ArgsOf<N>, answer: AnswerOf<N>) => void };

/** Runs the server's work after finished calls, before their answers. */
export function afterCalls(store: Pick<StoreChanges, 'onDone'>, after: AfterCalls): void {
  store.onDone(({ name, args }, answer) => after[name]?.(args as never, answer as never));
}

/** Returns pauses unknown to the store, such as for an unresponsive provider. */
export function livePauses(routes: ReadonlyMap<Route, LiveRoute>): LivePauses {
  const pauses = [...routes].flatMap(([route, { pause }]): [Route, string][] =>
    pause === null || pause.kind === 'operator' ? [] : [[route, pause.reason]],
  );
  return Object.fromEntries(pauses);
}

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

/** Reads the Web Push key pair. Only the first start waits for changes, to make it. */
export async function vapidKeysOf(store: Pick<StoreClient, 'findVapidKeys' | 'vapidKeys'>): Promise<VapidKeys> {
  return (await store.findVapidKeys({})) ?? store.vapidKeys({});
}
