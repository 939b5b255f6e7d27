import webPush from 'web-push';
import type { Clock } from '../../process/clock.ts';
import type { VapidKeys } from '../../push.ts';
import { lruCache } from '../../values/lru-cache.ts';

/** Push services take a day at most; half of it leaves room for clocks that differ. */
const LIFETIME_S = 12 * 3600;
/** Apple asks not to sign anew more than once an hour. */
const KEPT_MS = 11 * 3_600_000;
/** Microsoft has a host for each of its regions. */
const MAX_ORIGINS = 100;

/**
 * The `Authorization` header that says who sends, signed once for all pushes to a push service: signing takes as long
 * as a quarter of the encryption. https://www.rfc-editor.org/rfc/rfc8292
 */
export class VapidHeaders {
  readonly #contact: string;
  readonly #keys: VapidKeys;
  readonly #clock: Clock;
  readonly #kept = lruCache<string, { readonly header: string; readonly untilMs: number }>(MAX_ORIGINS);

  constructor(contact: string, keys: VapidKeys, clock: Clock) {
    this.#contact = contact;
    this.#keys = keys;
    this.#clock = clock;
  }

  get(origin: string): string {
    const kept = this.#kept.get(origin);
    if (kept !== undefined && this.#clock.steadyMs() < kept.untilMs) return kept.header;
    const header = this.#sign(origin);
    this.#kept.set(origin, { header, untilMs: this.#clock.steadyMs() + KEPT_MS });
    return header;
  }

  /** It was refused: the next push has one that is signed anew, by a clock that may be right by then. */
  forget(origin: string): void {
    this.#kept.delete(origin);
  }

  #sign(origin: string): string {
    const { publicKey, privateKey } = this.#keys;
    const expiresAtS = Math.floor(this.#clock.wallMs() / 1000) + LIFETIME_S;
    return webPush.getVapidHeaders(origin, this.#contact, publicKey, privateKey, 'aes128gcm', expiresAtS).Authorization;
  }
}
