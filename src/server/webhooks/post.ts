import { type LookupAddress, lookup as lookupByHost } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import { addressIn, isPublic } from '../../contract/webhook-addresses.ts';
import { webhookBody, webhookSignature } from '../../contract/webhooks.ts';
import { BoundExceeded, sendRequest } from '../../process/bounded-request.ts';
import type { WebhookMessage, WebhookOutcome } from '../../store/calls.ts';

/** `cause`: for the operator's log only, since workspaces must not learn what this machine reaches. */
export type PostOutcome = WebhookOutcome & { readonly cause?: string };

/** Time for look-up, connection and the head of the answer. */
const WITHIN_MS = 10_000;

export interface PostOptions {
  readonly allowPrivate: boolean;
  /** PEM of an additional CA; null: none. */
  readonly ca: string | null;
  /** Aborts it from outside. */
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  readonly withinMs?: number;
  /** The addresses of a name. */
  readonly resolve?: (name: string) => Promise<readonly LookupAddress[]>;
  /** This machine's addresses, if not its interfaces'. */
  readonly own?: readonly string[];
}

/**
 * Sends a message once. A workspace's owner or admin chose the address, so it could name what only this machine
 * reaches. Therefore the address is checked on connecting, after the look-up, and redirects fail. Only the status is
 * read. Every failure before a verified connection is `unreachable`.
 */
export async function postMessage(message: WebhookMessage, options: PostOptions): Promise<PostOutcome> {
  const { allowPrivate, ca, signal, nowMs, withinMs = WITHIN_MS, own } = options;
  const literal = addressIn(new URL(message.url).hostname);
  if (literal !== null && !allowPrivate && !isPublic(literal, own)) return unreachable(PRIVATE_CODE);
  const body = webhookBody(message);
  let isConnected = false;
  try {
    const { status } = await sendRequest(message.url, {
      method: 'POST',
      headers: headersOf(message, body, Math.floor(nowMs() / 1000)),
      body,
      withinMs,
      mostBytes: 0,
      signal,
      lookup: lookupOf(options),
      onConnected() {
        isConnected = true;
      },
      ...(ca !== null && { ca: [...rootCertificates, ca] }),
    });
    return outcomeOf(status);
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    const cause = error instanceof BoundExceeded && code === 'ETIMEDOUT' ? 'timeout' : (code ?? name);
    return isConnected ? failed(cause) : unreachable(cause);
  }
}

function headersOf(
  { id, secrets }: WebhookMessage,
  body: string,
  timestampS: number,
): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': webhookSignature(secrets, id, timestampS, body),
  };
}

function outcomeOf(status: number): WebhookOutcome {
  if (status >= 200 && status < 300) return { kind: 'taken' };
  return status === 410 ? { kind: 'gone' } : failed(`http_${status}`);
}

function failed(reason: string): WebhookOutcome {
  return { kind: 'failed', reason };
}

function unreachable(cause: string): PostOutcome {
  return { kind: 'failed', reason: 'unreachable', cause };
}

const PRIVATE_CODE = 'private_address';

/** Node looks up names only, and connects to the checked address, so nothing can be swapped. */
function lookupOf({ allowPrivate, own, resolve = addressesOf(allowPrivate) }: PostOptions): LookupFunction {
  return (name, { all }, callback) => {
    resolve(name).then(
      (found) => {
        const usable = allowPrivate ? found : found.filter(({ address }) => isPublic(address, own));
        const [first] = usable;
        if (first === undefined) callback(unusable(found.length === 0 ? 'ENOTFOUND' : PRIVATE_CODE), []);
        else if (all) callback(null, [...usable]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

/**
 * Returns a look-up by DNS, since the system's may hold one of four shared threads indefinitely. Only private names,
 * such as in /etc/hosts, need the system's.
 */
function addressesOf(allowPrivate: boolean): (name: string) => Promise<readonly LookupAddress[]> {
  return async (name) => {
    const resolver = new Resolver({ timeout: 3_000, tries: 2 });
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [
      ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
      ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
    ];
    return found.length === 0 && allowPrivate ? bySystem(name) : found;
  };
}

function bySystem(name: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookupByHost(name, { all: true }, (error, found) => (error ? reject(error) : resolve(found)));
  });
}

function unusable(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}
