import { type Clock, hasJumped, type Moment, momentOf } from '../../process/clock.ts';
import { lruCache } from '../../values/lru-cache.ts';
import { LIFETIMES, nameOf, type Signer, signFor } from './signer.ts';

/** Tokens shared by a key's senders to a provider. */
export interface Tokens {
  /** The token to send with. */
  current(signer: Signer): string | Promise<string>;
  accepted(signer: Signer, token: string): void;
  /** Resolves with a token for a new connection, after a refusal or (`too_many`) too frequent ones; null: none. */
  refused(signer: Signer, token: string, why: 'refused' | 'too_many'): Promise<string | null>;
}

/** A signer's token for a client. */
export class ClientToken {
  readonly #tokens: Tokens;
  readonly #signer: Signer;
  /** Reported once, not with each push. */
  #accepted = '';

  constructor(tokens: Tokens, signer: Signer) {
    this.#tokens = tokens;
    this.#signer = signer;
  }

  current(): string | Promise<string> {
    return this.#tokens.current(this.#signer);
  }

  accepted(token: string): void {
    if (token === this.#accepted) return;
    this.#accepted = token;
    this.#tokens.accepted(this.#signer, token);
  }

  refused(token: string, why: 'refused' | 'too_many'): Promise<string | null> {
    return this.#tokens.refused(this.#signer, token, why);
  }
}

/** A shared token. `signedAtMs`: the signer's wall clock. */
export interface SharedToken {
  readonly token: string;
  readonly signedAtMs: number;
  /** How long ago it was stored. */
  readonly ageMs: number;
  readonly isAccepted: boolean;
}

/** Shares tokens among processes with the same keys. */
export interface TokenShelf {
  find(name: string): Promise<SharedToken | null>;
  /** Replaces `instead` (null: none) unless another process was faster. Resolves with the current one. */
  offer(name: string, offered: Pick<SharedToken, 'token' | 'signedAtMs'>, instead: string | null): Promise<SharedToken>;
  accepted(name: string, token: string): Promise<unknown>;
}

/** `at`: signing time by both clocks. `isReplacement`: of a refused token. */
interface Kept {
  readonly token: string;
  readonly at: Moment;
  readonly isReplacement: boolean;
  isAccepted: boolean;
}

interface Slot {
  kept: Kept | null;
  lastAccepted: Kept | null;
  /** Ends after all earlier requests. */
  turn: Promise<unknown>;
}

/** Microsoft has a service for each region. */
const MOST = 200;

/**
 * Signs and keeps one token a key. Decides alone what clock jumps mean:
 * - An accepted token stays until refused, whatever the clock.
 * - A refused one is replaced if the clocks have disagreed since signing, if it was never accepted, or if it is old
 *   enough. A refused replacement stays: clock or key is still wrong.
 */
export class TokenKeeper implements Tokens {
  readonly #clock: Clock;
  readonly #shelf: TokenShelf | null;
  readonly #slots = lruCache<string, Slot>(MOST);

  constructor(clock: Clock, shelf: TokenShelf | null = null) {
    this.#clock = clock;
    this.#shelf = shelf;
  }

  current(signer: Signer): Promise<string> {
    return this.#inTurn(signer, async (slot, name) => {
      if (slot.kept !== null && this.#isUsable(signer, slot.kept)) return slot.kept.token;
      return (await this.#renew(signer, name, slot, false)).token;
    });
  }

  accepted(signer: Signer, token: string): void {
    const name = nameOf(signer);
    const slot = this.#slots.get(name);
    if (slot?.kept?.token !== token || slot.kept.isAccepted) return;
    slot.kept.isAccepted = true;
    slot.lastAccepted = slot.kept;
    void this.#shelf?.accepted(name, token).catch(() => {});
  }

  refused(signer: Signer, token: string, why: 'refused' | 'too_many'): Promise<string | null> {
    return this.#inTurn(signer, async (slot, name) => {
      const { kept } = slot;
      if (kept === null || kept.token !== token) return (kept ?? (await this.#renew(signer, name, slot, true))).token;
      if (why === 'too_many') return this.#acceptedElsewhere(token, signer, name, slot);
      const shared = await this.#find(name);
      if (shared !== null && shared.token !== token && this.#isUsable(signer, shared)) {
        slot.kept = shared;
        return shared.token;
      }
      if (!this.#canReplace(signer, kept)) return null;
      const renewed = await this.#renew(signer, name, slot, true);
      return renewed.token === token ? null : renewed.token;
    });
  }

  /** Returns another process's or the previous token, if still accepted. */
  async #acceptedElsewhere(token: string, signer: Signer, name: string, slot: Slot): Promise<string | null> {
    const isGood = (kept: Kept | null): kept is Kept =>
      kept?.isAccepted === true &&
      kept.token !== token &&
      this.#ageMs(kept) < LIFETIMES[signer.kind].mostMs &&
      !hasJumped(this.#clock, kept.at);
    const found = [await this.#find(name), slot.lastAccepted].find(isGood);
    if (found === undefined) return null;
    slot.kept = found;
    await this.#offer(name, found, token);
    return found.token;
  }

  async #renew(signer: Signer, name: string, slot: Slot, isReplacement: boolean): Promise<Kept> {
    const refused = isReplacement ? slot.kept?.token : undefined;
    const shared = await this.#find(name);
    if (shared !== null && shared.token !== refused && this.#isUsable(signer, shared)) {
      slot.kept = shared;
    } else {
      const at = momentOf(this.#clock);
      const made: Kept = { token: signFor(signer, at.wallMs), at, isReplacement, isAccepted: false };
      slot.kept = await this.#offer(name, made, shared?.token ?? null);
    }
    if (slot.kept.isAccepted) slot.lastAccepted = slot.kept;
    return slot.kept;
  }

  /** Returns the token processes share: this one, or one offered earlier. */
  async #offer(name: string, made: Kept, instead: string | null): Promise<Kept> {
    const offered = { token: made.token, signedAtMs: made.at.wallMs };
    const shared = await this.#shelf?.offer(name, offered, instead).catch(() => null);
    return !shared || shared.token === made.token ? made : this.#keptOf(shared);
  }

  /** Ignores an unavailable database, which stops nobody from sending. */
  async #find(name: string): Promise<Kept | null> {
    const shared = await this.#shelf?.find(name).catch(() => null);
    return shared ? this.#keptOf(shared) : null;
  }

  #keptOf({ token, signedAtMs, ageMs, isAccepted }: SharedToken): Kept {
    const steadyMs = this.#clock.steadyMs() - Math.max(0, ageMs);
    return { token, at: { wallMs: signedAtMs, steadyMs }, isReplacement: false, isAccepted };
  }

  #isUsable({ kind }: Signer, kept: Kept): boolean {
    return this.#ageMs(kept) < LIFETIMES[kind].renewMs && (kept.isAccepted || !hasJumped(this.#clock, kept.at));
  }

  #canReplace({ kind }: Signer, kept: Kept): boolean {
    if (hasJumped(this.#clock, kept.at) || this.#ageMs(kept) >= LIFETIMES[kind].leastMs) return true;
    return !kept.isAccepted && !kept.isReplacement;
  }

  #ageMs({ at }: Kept): number {
    return this.#clock.steadyMs() - at.steadyMs;
  }

  #inTurn<T>(signer: Signer, act: (slot: Slot, name: string) => Promise<T>): Promise<T> {
    const name = nameOf(signer);
    const slot = this.#slots.get(name) ?? { kept: null, lastAccepted: null, turn: Promise.resolve() };
    this.#slots.set(name, slot);
    const acting = slot.turn.then(() => act(slot, name));
    slot.turn = acting.catch(() => {});
    return acting;
  }
}
