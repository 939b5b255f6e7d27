import type { Others, ServingStore } from '../store/client.ts';
import { isJsonObject } from '../values/json.ts';
import {
  AUDIENCES,
  type Change,
  changesOf,
  KINDS,
  nameOf,
  type Reference,
  type Subject,
  type UnresolvedChange,
} from './changes.ts';

/** Shortest interval of notices, since each takes a lock for which the cluster's commits wait. */
const NOTIFY_EVERY_MS = 100;
/** Below PostgreSQL's limit of 4 KB. */
const MAX_BYTES = 4_000;
const CHANGES = 'changes';
const SIGNED_OUT = 'signed-out';
/** Beyond it, one notice for any workspace replaces those that name each. */
const MAX_CHANGES = 200;

/** A change under way, perhaps of another version. */
type Sent = readonly [kind: unknown, audience: unknown, of: unknown];

/** Notifies the cluster's other servers of this process's changes, gathered. */
export class ChangeNotifier {
  readonly #source: ChangeSource;
  readonly #send: Others['notify'];
  readonly #changes = new Map<string, Change>();
  /** Hashes of the tokens of sessions. */
  readonly #signedOut = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: ChangeSourceOptions['store'], send: Others['notify']) {
    this.#send = send;
    this.#source = new ChangeSource(
      { store },
      {
        changed: (change) => this.#note(() => this.#changes.set(nameOf(change), change)),
        signedOut: (tokenHash) => this.#note(() => this.#signedOut.add(tokenHash)),
      },
    );
  }

  /** Costs nothing without other servers. */
  listenWhile(hasOthers: boolean): void {
    if (hasOthers === this.#source.isListening) return;
    if (hasOthers) this.#source.listen();
    else this.#source.stop();
  }

  /** Reports pushes settled here; the devices may be inactive now. */
  settled(events: readonly { readonly workspaceId: number }[], gone: readonly number[] = []): void {
    this.#source.settled(events, gone);
  }

  async close(): Promise<void> {
    await this.#source.resolved();
    this.#source.stop();
    clearTimeout(this.#timer);
    this.#notify();
  }

  #note(add: () => void): void {
    add();
    this.#timer ??= setTimeout(() => this.#notify(), NOTIFY_EVERY_MS).unref();
  }

  #notify(): void {
    this.#timer = undefined;
    const changes = [...this.#changes.values()];
    const signedOut = [...this.#signedOut];
    this.#changes.clear();
    this.#signedOut.clear();
    const sent = (changes.length > MAX_CHANGES ? ofAny(changes) : changes).map(
      ({ kind, audience, of }): Sent => [kind, audience, of],
    );
    for (const payload of payloadsOf(sent)) this.#send(CHANGES, payload);
    for (const payload of payloadsOf(signedOut)) this.#send(SIGNED_OUT, payload);
  }
}

/** Calls `listener` with what a `ChangeNotifier` elsewhere sends. */
export function hearChanges(others: Pick<Others, 'onNotice'>, listener: ChangeListener): void {
  others.onNotice(CHANGES, (payload) => {
    for (const change of listIn(payload).flatMap(changeOf)) listener.changed(change);
  });
  others.onNotice(SIGNED_OUT, (payload) => {
    for (const tokenHash of listIn(payload)) if (typeof tokenHash === 'string') listener.signedOut(tokenHash);
  });
}

function ofAny(changes: readonly Change[]): readonly Change[] {
  const shown = changes.map(({ kind, audience }): Change => ({ kind, audience, of: null }));
  return [...new Map(shown.map((change) => [nameOf(change), change])).values()];
}

/** Splits the JSON list into small enough parts. */
function payloadsOf(list: readonly unknown[]): readonly string[] {
  const payloads: string[] = [];
  for (const item of list) {
    const sent = JSON.stringify(item);
    const last = payloads.at(-1);
    const fits = last !== undefined && Buffer.byteLength(last) + Buffer.byteLength(sent) < MAX_BYTES;
    if (fits) payloads[payloads.length - 1] = `${last.slice(0, -1)},${sent}]`;
    else payloads.push(`[${sent}]`);
  }
  return payloads;
}

/** Empty for anything but a list. */
function listIn(payload: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(payload);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** Returns none for unknown changes of other versions. */
function changeOf(sent: unknown): readonly Change[] {
  const [kind, audience, of] = Array.isArray(sent) ? (sent as unknown as Sent) : [];
  const isKnown = KINDS.includes(kind as Change['kind']) && AUDIENCES.includes(audience as Change['audience']);
  return isKnown && isSubject(of) ? [{ kind, audience, of } as Change] : [];
}

function isSubject(of: unknown): of is Subject {
  return of === null || typeof of === 'string' || (isJsonObject(of) && typeof of.id === 'number');
}

export interface ChangeSourceOptions {
  readonly store: Pick<ServingStore, 'findSession' | 'findKey' | 'deviceOwners' | 'onDone'>;
  readonly pausedRoutes?: (() => readonly string[]) | undefined;
}

interface ChangeListener {
  readonly changed: (change: Change) => void;
  readonly signedOut: (tokenHash: string) => void;
}

const ROUTES: Change = { kind: 'routes', audience: 'managers', of: null };

/** Derives changes from store calls and route states. Costs nothing while stopped. */
export class ChangeSource {
  readonly #store: ChangeSourceOptions['store'];
  readonly #pausedRoutes: () => readonly string[];
  readonly #listener: ChangeListener;
  readonly #resolving = new Set<Promise<void>>();
  #stopListening: (() => void) | null = null;
  #paused = '';

  constructor({ store, pausedRoutes = () => [] }: ChangeSourceOptions, listener: ChangeListener) {
    this.#store = store;
    this.#pausedRoutes = pausedRoutes;
    this.#listener = listener;
  }

  get isListening(): boolean {
    return this.#stopListening !== null;
  }

  listen(): void {
    this.#paused = this.#pausedRoutes().join();
    this.#stopListening = this.#store.onDone((request, answer) => {
      if (request.name === 'closeSession') this.#listener.signedOut((request.args as { tokenHash: string }).tokenHash);
      for (const change of changesOf(request, answer)) this.#take(change);
    });
  }

  stop(): void {
    this.#stopListening?.();
    this.#stopListening = null;
  }

  /** Reports settled pushes; the devices may be inactive now. */
  settled(events: readonly { readonly workspaceId: number }[], gone: readonly number[] = []): void {
    if (!this.isListening) return;
    for (const { workspaceId: id } of events) {
      this.#listener.changed({ kind: 'events', audience: 'managers', of: { id } });
    }
    if (gone.length > 0) this.#await(this.#devicesChanged(gone));
  }

  /** Checks the routes, which pause and open without a store call. Call it regularly. */
  checkRoutes(): void {
    const paused = this.#pausedRoutes().join();
    if (paused === this.#paused) return;
    this.#paused = paused;
    this.#listener.changed(ROUTES);
  }

  /** Resolves once changes of answered calls are out. */
  async resolved(): Promise<void> {
    await Promise.all(this.#resolving);
  }

  #take({ of, ...change }: UnresolvedChange): void {
    if (of === null || typeof of !== 'object' || 'id' in of) {
      this.#listener.changed({ ...change, of });
      return;
    }
    this.#await(this.#resolve(change, of));
  }

  #await(work: Promise<void>): void {
    const resolving = work.finally(() => this.#resolving.delete(resolving));
    this.#resolving.add(resolving);
  }

  /** Announces devices to owners and their workspaces' managers; not while the store fails. */
  async #devicesChanged(ids: readonly number[]): Promise<void> {
    for (const { email, workspaceId: id } of await this.#store.deviceOwners({ ids }).catch(() => [])) {
      this.#listener.changed({ kind: 'devices', audience: 'person', of: email });
      this.#listener.changed({ kind: 'devices', audience: 'managers', of: { id } });
    }
  }

  /** Finds the workspaces; none if the store fails, or key or session are gone. */
  async #resolve(change: Omit<Change, 'of'>, of: Reference): Promise<void> {
    if ('ofKey' in of) {
      const key = await this.#store.findKey({ id: of.ofKey }).catch(() => null);
      if (key !== null) this.#listener.changed({ ...change, of: { id: key.workspaceId } });
      return;
    }
    const session = await this.#store.findSession({ tokenHash: of.ofSession }).catch(() => null);
    for (const { workspaceId: id } of session?.memberships ?? []) this.#listener.changed({ ...change, of: { id } });
  }
}
