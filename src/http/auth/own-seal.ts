import { createHmac } from 'node:crypto';
import { isSameHash } from '../../contract/api-key.ts';
import type { ServingStore } from '../../store/serving-store.ts';

/**
 * Marks what a client keeps for us meanwhile, so that nothing has to be kept here for strangers who never come back. By a
 * secret that all nodes share, and every backup holds: that of Web Push.
 */
export class OwnSeal {
  readonly #store: Pick<ServingStore, 'vapidKeys'>;
  #key: Promise<string> | null = null;

  constructor(store: Pick<ServingStore, 'vapidKeys'>) {
    this.#store = store;
  }

  /** `use`: what is marked for one use is not taken for another. */
  async mark(use: string, content: Buffer | string): Promise<Buffer> {
    this.#key ??= this.#store.vapidKeys({}).then(({ privateKey }) => privateKey);
    const key = await this.#key.catch((error: unknown) => {
      this.#key = null;
      throw error;
    });
    return createHmac('sha256', `${use} ${key}`).update(content).digest();
  }

  async isOurs(use: string, content: Buffer | string, mark: Buffer): Promise<boolean> {
    const expected = await this.mark(use, content);
    return mark.length === expected.length && isSameHash(expected.toString('hex'), mark.toString('hex'));
  }
}
