import { type CallRequest, isWithoutPromise, type Reply } from '../../reply.ts';
import type { OwnedStore } from '../engine.ts';
import type { Committer } from '../group-commit.ts';
import type { Rescue } from './rescue.ts';

/** The longest time, plus one commit, in which events still get a 202 after the files were lost. */
const LOOK_EVERY_MS = 500;

export type FileChange =
  /** New work is refused. `what` has happened to the files, in words. */
  | { readonly kind: 'displaced'; readonly what: string }
  | { readonly kind: 'saved'; readonly file: string }
  | { readonly kind: 'not_saved'; readonly problem: string }
  /** The same files are back; work continues. */
  | { readonly kind: 'back' };

/**
 * Guards a server's store against losing its files. SQLite goes on writing to files that were deleted, moved or
 * replaced, but what it writes from then on would be lost. So new work is rejected, accepted work finishes, and all is
 * saved beside, at once and again at the end. Work resumes if the same files return.
 */
export class Guard implements Pick<Committer, 'run'> {
  readonly #store: Omit<OwnedStore, 'close'>;
  readonly #notify: (change: FileChange) => void;
  readonly #timer: NodeJS.Timeout;
  #displaced: string | null = null;
  #rescue: Rescue | null = null;
  /** One at a time: copying a large database is slow. */
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

  /** Looks a last time. Resolves once everything without a file is saved as now. */
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
