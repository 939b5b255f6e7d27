import { type ChildProcess, fork } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { entryUrl } from '../process/entry-points.ts';
import type { Challenge, OrderJob, Outcome } from './order.ts';

const DEADLINE_MS = 10 * 60_000;

interface Shown {
  show(challenge: Challenge): void;
  clear(): void;
}

/** Orders a certificate in its own process, to free the memory. Never rejects. */
export async function runOrder(job: OrderJob, shown: Shown, signal: AbortSignal): Promise<Outcome> {
  let child: ChildProcess | null = null;
  try {
    child = fork(entryUrl('acme/child'), [], {
      // Ctrl+C goes to the server, which ends this; it ends also if the server dies.
      detached: true,
      execArgv: [],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    return await outcomeOf(child, job, shown, signal);
  } catch (error) {
    return notRun(error as NodeJS.ErrnoException);
  } finally {
    // Without a process, the signal would go to our group.
    if (child?.pid !== undefined) child.kill('SIGKILL');
    shown.clear();
  }
}

async function outcomeOf(child: ChildProcess, job: OrderJob, shown: Shown, signal: AbortSignal): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const end = () => reject(new Error('it was cancelled'));
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  const deadline = setTimeout(() => reject(new Error('no result within ten minutes')), DEADLINE_MS);
  child.on('error', reject);
  // Behind all that it has said.
  child.once('close', (status, by) => reject(new Error(`it ended too early (${by ?? status})`)));
  child.on('message', (message: { challenge?: Challenge; outcome?: Outcome }) => {
    if (message.outcome !== undefined) resolve(message.outcome);
    if (message.challenge === undefined) return;
    try {
      shown.show(message.challenge);
      child.send({});
    } catch (error) {
      reject(error);
    }
  });
  // Without a process, no channel exists; an `error` event follows.
  if (child.connected) child.send(job);
  return promise.finally(() => {
    clearTimeout(deadline);
    signal.removeEventListener('abort', end);
  });
}

function notRun({ message, code }: NodeJS.ErrnoException): Outcome {
  const problem = { sentence: `the process of the order failed: ${message}`, type: code ?? null, retryAfterMs: null };
  return { pair: null, problem, clockOffMs: null };
}

const PATH = '/.well-known/acme-challenge/';

export class ChallengeAnswers implements Shown {
  readonly #certificates = new Map<string, SecureContext>();
  readonly #contents = new Map<string, string>();

  show(challenge: Challenge): void {
    const { type, domain } = challenge;
    if (type === 'http-01') this.#contents.set(challenge.token, challenge.content);
    else this.#certificates.set(domain, createSecureContext({ cert: challenge.cert, key: challenge.key }));
  }

  clear(): void {
    this.#certificates.clear();
    this.#contents.clear();
  }

  /** Presents the proving certificate (tls-alpn-01, RFC 8737). False: there is none. */
  takeTls(socket: TLSSocket, servername: string): boolean {
    const certificate = this.#certificates.get(servername);
    if (certificate === undefined) return false;
    socket.setKeyCert(certificate);
    return true;
  }

  /** Returns a path's plain text (http-01, RFC 8555, section 8.3); null: none. */
  contentAt(path: string): string | null {
    return path.startsWith(PATH) ? (this.#contents.get(path.slice(PATH.length)) ?? null) : null;
  }
}

/** Makes a PEM account key: P-256, which every authority takes (RFC 8555, section 6.2). */
export function makeAccountKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
}
