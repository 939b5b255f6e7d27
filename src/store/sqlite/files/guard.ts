import { CALLS } from '../../calls.ts';
import type { CallRequest, Reply } from '../../carriers/reply.ts';
import type { Committer } from '../committer.ts';
import type { OwnedStore } from '../engine.ts';
import type { Rescue } from './rescue.ts';

/** For longer than this and a commit no 202 is answered once the files have gone. */
const LOOK_EVERY_MS = 500;

/** What there is to tell of the files of a server's database. */
export type FileNews =
  /** Nothing is promised any more. `what` has become of them, in words. */
  | { readonly kind: 'displaced'; readonly what: string }
  | { readonly kind: 'saved'; readonly file: string }
  | { readonly kind: 'not_saved'; readonly problem: string }
  /** The same files are there again, and all goes on. */
  | { readonly kind: 'back' };

/**
 * Stands before the store of a server. SQLite goes on with files that were deleted, moved or replaced, but nobody finds
 * what is written to them from then on. So nothing more is promised; what was promised before is carried out, and all
 * of it saved beside, at once and again at the end. That is over when the same files are back.
 */
export class Guard implements Pick<Committer, 'run'> {
  readonly #store: Omit<OwnedStore, 'close'>;
  readonly #tell: (news: FileNews) => void;
  readonly #timer: NodeJS.Timeout;
  #displaced: string | null = null;
  #rescue: Rescue | null = null;
  /** One at a time: a copy takes as long as the database is large. */
  #saving: Promise<void> = Promise.resolve();

  constructor(store: Omit<OwnedStore, 'close'>, tell: (news: FileNews) => void) {
    this.#store = store;
    this.#tell = tell;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  async run(calls: readonly CallRequest[]): Promise<Reply[]> {
    if (this.#displaced === null) return this.#store.run(calls);
    const refusal: Reply = { kind: 'unavailable', reason: this.#displaced };
    const replies = await this.#store.run(calls.filter(promisesNothing));
    return calls.map((call) => (promisesNothing(call) ? (replies.shift() ?? refusal) : refusal));
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
    this.#tell({ kind: 'displaced', what });
    if (this.#rescue !== null) return;
    const rescue = this.#store.rescue();
    this.#rescue = rescue;
    this.#saving = this.#saving.then(() => this.#save(rescue));
  }

  #goOn(): void {
    this.#tell({ kind: 'back' });
    const rescue = this.#rescue;
    this.#rescue = null;
    this.#saving = this.#saving.then(() => rescue?.drop());
  }

  async #save(rescue: Rescue): Promise<void> {
    try {
      await rescue.save();
      this.#tell({ kind: 'saved', file: rescue.file });
    } catch (error) {
      this.#tell({ kind: 'not_saved', problem: (error as Error).message });
    }
  }
}

function promisesNothing({ name }: CallRequest): boolean {
  const { reads, carriesOut } = CALLS[name];
  return reads === true || carriesOut === true;
}
