import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AcmeSettings } from '../config/config.ts';
import { readNamedFile } from '../config/named-file.ts';
import { makeFolder } from '../files/make-folder.ts';
import { putInPlace } from '../files/put-in-place.ts';
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
