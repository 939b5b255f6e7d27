import type { Authorization, Client } from 'acme-client';
import type { AcmeSettings } from '../config/config.ts';
import { type AcmeProblem, authorityOf, sentenceOf } from './problem.ts';
import { type Answer, ask, clockOffMs, retryAfterMs } from './requests.ts';

/** Everything for an order, sent to a child so that no argument has the key. */
export interface OrderJob {
  readonly settings: Omit<AcmeSettings, 'caFile'>;
  readonly ca: string | null;
  /** PEM of the account, which is opened if missing. */
  readonly accountKey: string;
  /** The certificate that this replaces (RFC 9773); null: none. */
  readonly replaces: string | null;
  /** The challenges that prove a name, preferred first. */
  readonly challenges: readonly ChallengeType[];
  /** The first wait for the authority's result. */
  readonly pollMs: number;
}

type ChallengeType = 'tls-alpn-01' | 'http-01';

export type Challenge =
  | { readonly type: 'tls-alpn-01'; readonly domain: string; readonly cert: string; readonly key: string }
  | { readonly type: 'http-01'; readonly domain: string; readonly token: string; readonly content: string };

export interface Outcome {
  /** PEM: key, then chain. */
  readonly pair: string | null;
  /** Null: there is a certificate. */
  readonly problem: AcmeProblem | null;
  /** The authority's clock offset; null: not reached. */
  readonly clockOffMs: number | null;
}

const LONGEST_POLL_MS = 10_000;
const POLLS = 14;
/** The library's words for an unfinished order. */
const PENDING = 'Operation is pending or processing';

/** Orders a certificate. `show` resolves once the proof is served. Never rejects. */
export async function order(job: OrderJob, show: (challenge: Challenge) => Promise<void>): Promise<Outcome> {
  // Loaded here alone: it takes 39 MB.
  const { default: acme } = await import('acme-client');
  const heard = new Heard();
  // Its retries use a nonce twice: https://github.com/publishlab/node-acme-client/issues/103
  Object.assign(acme.axios.defaults, { acmeSettings: { retryMaxAttempts: 0 } });
  acme.axios.defaults.adapter = async (config) => {
    const headers = Object.fromEntries(
      Object.entries(config.headers.toJSON()).map(([name, value]) => [name, `${value}`]),
    );
    const body = typeof config.data === 'string' ? { body: config.data } : {};
    const answer = heard.take(
      await ask(String(config.url), { method: String(config.method).toUpperCase(), headers, ...body, ca: job.ca }),
    );
    return { status: answer.status, statusText: '', headers: answer.headers, data: answer.text, config };
  };
  try {
    const client = new acme.Client({
      directoryUrl: job.settings.directory,
      accountKey: job.accountKey,
      backoffAttempts: POLLS,
      backoffMin: job.pollMs,
      backoffMax: LONGEST_POLL_MS,
    });
    await openAccount(client, job);
    const made = await createOrder(client, job, heard);
    for (const authorization of await client.getAuthorizations(made)) {
      if (authorization.status !== 'valid') await prove(authorization);
    }
    const ecdsaKey = await acme.crypto.createPrivateEcdsaKey();
    const [key, csr] = await acme.crypto.createCsr({ altNames: [...job.settings.domains] }, ecdsaKey);
    const chain = await client.getCertificate(await client.finalizeOrder(made, csr));
    const pair = `${key.toString().trim()}\n${chain.trim()}\n`;
    return { pair, problem: null, clockOffMs: heard.clockOffMs };

    async function prove(authorization: Authorization): Promise<void> {
      const domain = authorization.identifier.value;
      const offered = authorization.challenges;
      const chosen = job.challenges.flatMap((type) => offered.find((challenge) => challenge.type === type) ?? [])[0];
      if (chosen === undefined)
        throw new Error(`the only offered challenges for ${domain} are ${offered.map(({ type }) => type)}`);
      const content = await client.getChallengeKeyAuthorization(chosen);
      if (chosen.type === 'http-01') {
        await show({ type: 'http-01', domain, token: chosen.token, content });
      } else {
        const ownKey = await acme.crypto.createPrivateEcdsaKey();
        const [, cert] = await acme.crypto.createAlpnCertificate(authorization, content, ownKey);
        await show({ type: 'tls-alpn-01', domain, cert: cert.toString(), key: ownKey.toString() });
      }
      await client.completeChallenge(chosen);
      await client.waitForValidStatus(chosen);
    }
  } catch (error) {
    return { pair: null, problem: heard.problem(error, job), clockOffMs: heard.clockOffMs };
  }
}

/** The library repeats known accounts, which strict authorities reject. */
async function openAccount(client: Client, { settings: { contact } }: OrderJob): Promise<void> {
  const about = { termsOfServiceAgreed: true, ...(contact !== null && { contact: [`mailto:${contact}`] }) };
  try {
    await client.createAccount(about);
  } catch (error) {
    if (!hasAccount(client)) throw error;
  }
}

function hasAccount(client: Client): boolean {
  try {
    return client.getAccountUrl() !== '';
  } catch {
    return false;
  }
}

/** Retries without `replaces` if the authority rejects that. */
async function createOrder(client: Client, { settings, replaces }: OrderJob, heard: Heard) {
  const identifiers = settings.domains.map((value) => ({ type: 'dns', value }));
  if (replaces !== null) {
    try {
      return await client.createOrder({ identifiers, ...{ replaces } });
    } catch (error) {
      if (!heard.isRefusal || heard.type === 'rateLimited') throw error;
    }
  }
  return client.createOrder({ identifiers });
}

/** Records answers; the library keeps only texts. */
class Heard {
  clockOffMs: number | null = null;
  type: string | null = null;
  #status = 0;
  #retryAfterMs: number | null = null;

  take(answer: Answer): Answer {
    const nowMs = Date.now();
    this.clockOffMs = clockOffMs(answer, nowMs) ?? this.clockOffMs;
    this.#status = answer.status;
    this.#retryAfterMs = answer.status >= 400 ? retryAfterMs(answer, nowMs) : null;
    this.type = problemType(answer.text);
    return answer;
  }

  get isRefusal(): boolean {
    return this.#status >= 400 && this.#status < 500;
  }

  problem(error: unknown, { settings }: OrderJob): AcmeProblem {
    const { message, code } = error as NodeJS.ErrnoException;
    if (code !== undefined) {
      const sentence = sentenceOf(`cannot reach ${authorityOf(settings)}: ${message || code}`);
      return { sentence, type: code, retryAfterMs: null };
    }
    const words = sentenceOf(message === PENDING ? 'it did not finish in time' : message) || 'it gave no reason';
    const sentence = this.#status >= 500 ? `it answered ${this.#status}: ${words}` : words;
    return { sentence, type: this.type, retryAfterMs: this.#retryAfterMs };
  }
}

/** Returns the type of a problem, or of the failed object around it. */
function problemType(text: string): string | null {
  try {
    const { type, error } = JSON.parse(text) as { type?: unknown; error?: { type?: unknown } };
    const name = error?.type ?? type;
    return typeof name === 'string' ? name.replace(/^urn:ietf:params:acme:error:/, '') : null;
  } catch {
    return null;
  }
}
