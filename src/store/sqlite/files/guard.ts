import { type CallRequest, isWithoutPromise, type Reply } from '../../reply.ts';
import type { OwnedStore } from '../engine.ts';
import type { Committer } from '../group-commit.ts';
import type { Rescue } from './rescue.ts';

/** At the latest so long, and one commit, after the files were lost no 202 is answered any more. */
const LOOK_EVERY_MS = 500;

/** A change of a database's files that the server reports. */
export type FileChange =
  /** Nothing is promised any more. `what` has become of them, in words. */
  | { readonly kind: 'displaced'; readonly what: string }
  | { readonly kind: 'saved'; readonly file: string }
  | { readonly kind: 'not_saved'; readonly problem: string }
  /** The same files are there again, and all goes on. */
  | { readonly kind: 'back' };

/**
 * Guards the store of a server against losing its files. SQLite goes on writing to files that were deleted, moved or
 * replaced, but what is written from then on would be lost. So nothing more is accepted; what was accepted before is
 * carried out, and all of it is saved beside, at once and again at the end. That ends when the same files are back.
 */
export class Guard implements Pick<Committer, 'run'> {
  readonly #store: Omit<OwnedStore, 'close'>;
  readonly #notify: (change: FileChange) => void;
  readonly #timer: NodeJS.Timeout;
  #displaced: string | null = null;
  #rescue: Rescue | null = null;
  /** One at a time: a copy takes as long as the database is large. */
  #saving: Promise<void> = Promise.resolve();

  constructor(store: Omit<OwnedStore, 'close'>, notify: (change: FileChange) => void) {
    this.#store = store;
    this.#notify = notify;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  async run(calls: readonly CallRequest[]): Promise<Reply[]> {
    if (this.#displaced === null) return this.#store.run(calls);
    const refusal: Reply = { kind: 'unavailable', reason: this.#displaced };
    const replies = await this.#store.run(calls.filter(isWithoutPromise));
    return calls.map((call) => (isWithoutPromise(call) ? (replies.shift() ?? refusal) : refusal));
  }

  /** Looks a last time. Resolves once what has no file any more is saved as it is now. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    this.#look();
    await this.#saving;
    if (this.#rescue !== null) await this.#save(this.#rescue);
  }

  #look(): void {
    const displaced = this.#store.displaced();
    if (displaced === this.#displaced) return;
    this.#displaced = displaced;
    if (displaced === null) this.#goOn();
    else this.#stopPromising(displaced);
  }

  #stopPromising(what: string): void {
    this.#notify({ kind: 'displaced', what });
    if (this.#rescue !== null) return;
    const rescue = this.#store.rescue();
    this.#rescue = rescue;
    this.#saving = this.#saving.then(() => this.#save(rescue));
  }

  #goOn(): void {
    this.#notify({ kind: 'back' });
    const rescue = this.#rescue;
    this.#rescue = null;
    this.#saving = this.#saving.then(() => rescue?.drop());
  }

  async #save(rescue: Rescue): Promise<void> {
    try {
      await rescue.save();
      this.#notify({ kind: 'saved', file: rescue.file });
    } catch (error) {
      this.#notify({ kind: 'not_saved', problem: (error as Error).message });
    }
  }
}
