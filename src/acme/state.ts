import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { AcmeSettings } from '../config/config.ts';
import { readNamedFile } from '../config/named-file.ts';
import { makeFolder, putInPlace } from '../files/write.ts';
import type { AcmeProblem } from './problem.ts';

/** The renewal's state, kept so that restarts do not ask again. Times in ms. */
export interface AcmeState {
  /** The names of certificate and authority: see `wanted`. */
  readonly wanted: string;
  /** Tries since the last certificate. */
  readonly failures: number;
  /** Later tries that ended with the server, before their outcome. */
  readonly cutOff: number;
  readonly triedAtMs: number | null;
  /** No new try before this time, after a failure; null: the certificate alone decides. */
  readonly nextTryAtMs: number | null;
  readonly problem: AcmeProblem | null;
  /** The certificate's arrival; null: not for this configuration. */
  readonly orderedAtMs: number | null;
  /** The time of the next question to the authority about renewal. */
  readonly lookAtMs: number | null;
  /** The authority's renewal window; null: not given. */
  readonly renewal: { readonly startMs: number; readonly endMs: number; readonly atMs: number } | null;
  /** How far the authority's clock was ahead when last asked. */
  readonly clockOffMs: number;
  /** That time, by this machine's clock; null: never. */
  readonly clockAskedAtMs: number | null;
}

/** Names the certificate of the settings. */
export function wanted({ directory, domains }: Pick<AcmeSettings, 'directory' | 'domains'>): string {
  return [directory, ...[...domains].sort()].join(' ');
}

export function freshState(settings: AcmeSettings): AcmeState {
  return {
    wanted: wanted(settings),
    failures: 0,
    cutOff: 0,
    triedAtMs: null,
    nextTryAtMs: null,
    problem: null,
    orderedAtMs: null,
    lookAtMs: null,
    renewal: null,
    clockOffMs: 0,
    clockAskedAtMs: null,
  };
}

/** The folder of account, key, certificate and state: owner-only files, written atomically. */
export class TlsFolder {
  readonly #path: string;

  constructor(dataDir: string) {
    this.#path = join(dataDir, 'tls');
  }

  /** Returns PEM; null: none. Throws if unreadable. */
  accountKey(): string | null {
    return this.#read('account.pem');
  }

  /** Returns key and chain, in one file so that they always match. */
  pair(): string | null {
    return this.#read('certificate.pem');
  }

  /** Returns null without a usable state. */
  state(): AcmeState | null {
    try {
      return JSON.parse(this.#read('state.json') ?? 'null') as AcmeState | null;
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  }

  putAccountKey(pem: string): void {
    this.#write('account.pem', pem);
  }

  putPair(pem: string): void {
    this.#write('certificate.pem', pem);
  }

  putState(state: AcmeState): void {
    this.#write('state.json', `${JSON.stringify(state)}\n`);
  }

  #read(name: string): string | null {
    try {
      return readNamedFile(join(this.#path, name)).toString('utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  #write(name: string, text: string): void {
    const unfinished = join(this.#path, `${name}.part`);
    makeFolder(this.#path);
    rmSync(unfinished, { force: true });
    writeFileSync(unfinished, text, { flag: 'wx', mode: 0o600 });
    putInPlace(unfinished, join(this.#path, name));
  }
}

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
