import type { Logger } from 'pino';
import type { AcmeProblem } from './problem.ts';
import type { AcmeState, TlsFolder } from './state.ts';

type Kind = 'pair' | 'state';
type Folder = Pick<TlsFolder, 'accountKey' | 'putAccountKey' | 'putPair' | 'putState'>;

export class KeptFiles {
  readonly #folder: Folder;
  readonly #log: Pick<Logger, 'warn'>;
  /** Files to write as soon as possible. */
  readonly #unwritten = new Map<Kind, () => void>();
  #accountKey: string | null;
  #unkept: AcmeProblem | null = null;

  constructor(folder: Folder, log: Pick<Logger, 'warn'>) {
    this.#folder = folder;
    this.#log = log;
    this.#accountKey = folder.accountKey();
  }

  get accountKey(): string | null {
    return this.#accountKey;
  }

  /** Why the data cannot be kept; null: it can. */
  get unkept(): AcmeProblem | null {
    return this.#unkept;
  }

  /** Returns why it cannot be written; null: written. */
  putAccountKey(key: string): AcmeProblem | null {
    if (key === this.#accountKey) return null;
    const unkept = whyUnkept(() => this.#folder.putAccountKey(key));
    if (unkept === null) this.#accountKey = key;
    return unkept;
  }

  /** Returns why it cannot be written; null: written. */
  putState(state: AcmeState): AcmeProblem | null {
    return this.#put('state', () => this.#folder.putState(state));
  }

  /** Writes it, now or where `keepAgain` can. */
  keepState(state: AcmeState): void {
    this.#keep('state', () => this.#folder.putState(state));
  }

  keepPair(pair: string): void {
    this.#keep('pair', () => this.#folder.putPair(pair));
  }

  keepAgain(): void {
    for (const [kind, write] of [...this.#unwritten]) this.#keep(kind, write);
  }

  #put(kind: Kind, write: () => void): AcmeProblem | null {
    const unkept = whyUnkept(write);
    if (unkept !== null) return unkept;
    this.#unwritten.delete(kind);
    if (this.#unwritten.size === 0) this.#unkept = null;
    return null;
  }

  #keep(kind: Kind, write: () => void): void {
    const unkept = this.#put(kind, write);
    if (unkept === null) return;
    if (this.#unkept === null) this.#log.warn(unkept.sentence);
    this.#unkept = unkept;
    this.#unwritten.set(kind, write);
  }
}

function whyUnkept(write: () => void): AcmeProblem | null {
  try {
    write();
    return null;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const sentence = `pushctl cannot write to the folder tls in the data folder: ${message}`;
    return { sentence, type: code ?? null, retryAfterMs: null };
  }
}
