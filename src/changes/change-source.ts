import type { ServingStore } from '../store/serving-store.ts';
import { type Change, changesOf, type Reference, type UnresolvedChange } from './changes.ts';

export interface ChangeSourceOptions {
  readonly store: Pick<ServingStore, 'findSession' | 'findKey' | 'deviceOwners' | 'onDone'>;
  readonly pausedRoutes?: (() => readonly string[]) | undefined;
}

export interface ChangeListener {
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
