import { randomUUID } from 'node:crypto';
import { BroadcastChannel } from 'node:worker_threads';
import { type Clock, hasJumped, type Moment, momentOf } from '../../process/clock.ts';
import type { Signer } from './signer.ts';
import type { Tokens } from './tokens.ts';

/** A delivery thread asks, the main thread answers. */
type Ask =
  | { readonly ask: 'current'; readonly signer: Signer }
  | { readonly ask: 'accepted'; readonly signer: Signer; readonly token: string }
  | { readonly ask: 'refused'; readonly signer: Signer; readonly token: string; readonly why: 'refused' | 'too_many' };
type Question = Ask & { readonly id: string };
interface Reply {
  readonly to: string;
  readonly token: string | null;
}

/** Names are unique in the process, since channels are found by name. */
export function newDeskName(): string {
  return `tokens ${randomUUID()}`;
}

/** Answers a pool's threads on the main thread. Returns how to close it. */
export function openTokenDesk(name: string, tokens: Tokens): () => void {
  const channel = new BroadcastChannel(name);
  channel.unref();
  channel.onmessage = async (message) => {
    const { data } = message as { readonly data: Question | Reply };
    if (!('ask' in data)) return;
    const token = await answer(tokens, data).catch(() => null);
    channel.postMessage({ to: data.id, token } satisfies Reply);
  };
  return () => channel.close();
}

async function answer(tokens: Tokens, asked: Question): Promise<string | null> {
  if (asked.ask === 'current') return tokens.current(asked.signer);
  if (asked.ask === 'refused') return tokens.refused(asked.signer, asked.token, asked.why);
  tokens.accepted(asked.signer, asked.token);
  return null;
}

/** How long a thread uses a token before asking again. */
const KNOWN_FOR_MS = 60_000;

/** A delivery thread's end: never signs anything itself. */
export class ThreadTokens implements Tokens {
  readonly #channel: BroadcastChannel;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, (token: string | null) => void>();
  readonly #known = new WeakMap<Signer, { readonly token: string; readonly at: Moment }>();
  readonly #asking = new WeakMap<Signer, Promise<string>>();

  constructor(name: string, clock: Clock) {
    this.#clock = clock;
    this.#channel = new BroadcastChannel(name);
    this.#channel.unref();
    this.#channel.onmessage = (message) => {
      const { data } = message as { readonly data: Question | Reply };
      if (!('to' in data)) return;
      this.#waiting.get(data.to)?.(data.token);
      this.#waiting.delete(data.to);
    };
  }

  current(signer: Signer): string | Promise<string> {
    const known = this.#known.get(signer);
    if (known !== undefined && this.#isFresh(known.at)) return known.token;
    const asking = this.#asking.get(signer) ?? this.#askForCurrent(signer);
    this.#asking.set(signer, asking);
    return asking;
  }

  accepted(signer: Signer, token: string): void {
    void this.#ask({ ask: 'accepted', signer, token });
  }

  async refused(signer: Signer, token: string, why: 'refused' | 'too_many'): Promise<string | null> {
    const other = await this.#ask({ ask: 'refused', signer, token, why });
    if (other !== null) this.#know(signer, other);
    return other;
  }

  async #askForCurrent(signer: Signer): Promise<string> {
    try {
      const token = await this.#ask({ ask: 'current', signer });
      if (token === null) throw new Error('the token could not be signed');
      this.#know(signer, token);
      return token;
    } finally {
      this.#asking.delete(signer);
    }
  }

  #isFresh(at: Moment): boolean {
    return this.#clock.steadyMs() - at.steadyMs < KNOWN_FOR_MS && !hasJumped(this.#clock, at);
  }

  #know(signer: Signer, token: string): void {
    this.#known.set(signer, { token, at: momentOf(this.#clock) });
  }

  #ask(asked: Ask): Promise<string | null> {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<string | null>();
    this.#waiting.set(id, resolve);
    this.#channel.postMessage({ ...asked, id } satisfies Question);
    return promise;
  }
}
