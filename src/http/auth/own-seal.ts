import { createHmac } from 'node:crypto';
import { isSameHash } from '../../contract/api-key.ts';
import type { ServingStore } from '../../store/serving-store.ts';

/**
 * Seals what clients keep for us, so that nothing is kept here for strangers who never come back. Uses the Web Push
 * secret, which all nodes and backups have.
 */
export class OwnSeal {
  readonly #store: Pick<ServingStore, 'vapidKeys'>;
  #key: Promise<string> | null = null;

  constructor(store: Pick<ServingStore, 'vapidKeys'>) {
    this.#store = store;
  }

  /** `use`: a mark for one use is invalid for others. */
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
