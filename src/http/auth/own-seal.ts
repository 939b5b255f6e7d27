import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { isSameHash } from '../../contract/api-key.ts';
import { fieldProblem } from '../../contract/details.ts';
import { type ServingStore, vapidKeysOf } from '../../store/client.ts';
import { fieldError } from '../errors.ts';

/**
 * Seals what clients keep for us, so that nothing is kept here for strangers who never come back. Uses the Web Push
 * secret, which all nodes and backups have.
 */
export class OwnSeal {
  readonly #store: Pick<ServingStore, 'findVapidKeys' | 'vapidKeys'>;
  #key: Promise<string> | null = null;

  constructor(store: Pick<ServingStore, 'findVapidKeys' | 'vapidKeys'>) {
    this.#store = store;
  }

  /** `use`: a mark for one use is invalid for others. */
  async mark(use: string, content: Buffer | string): Promise<Buffer> {
    this.#key ??= vapidKeysOf(this.#store).then(({ privateKey }) => privateKey);
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

const CIPHER = 'aes-256-ecb';
const BLOCK_BYTES = 16;
const NUMBER_BYTES = 6;

/** Encrypts lists' positions, whose numbers would count other workspaces' changes. */
export class SealedPositions {
  readonly #seal: OwnSeal;

  constructor(seal: OwnSeal) {
    this.#seal = seal;
  }

  /** `list`: list and owner. Positions of others are invalid. */
  async seal(list: string, position: string): Promise<string> {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.writeUIntBE(Number(position), 0, NUMBER_BYTES);
    const cipher = createCipheriv(CIPHER, await this.#keyOf(list), null).setAutoPadding(false);
    return Buffer.concat([cipher.update(block), cipher.final()]).toString('hex');
  }

  /** Throws 422 for foreign positions. `field`: of the query. */
  async open(list: string, sealed: string, field: string): Promise<string> {
    const decipher = createDecipheriv(CIPHER, await this.#keyOf(list), null).setAutoPadding(false);
    const block = Buffer.concat([decipher.update(Buffer.from(sealed, 'hex')), decipher.final()]);
    if (block.subarray(NUMBER_BYTES).some((byte) => byte !== 0)) throw fieldError(fieldProblem(field, 'cursor'));
    return String(block.readUIntBE(0, NUMBER_BYTES));
  }

  #keyOf(list: string): Promise<Buffer> {
    return this.#seal.mark('positions', list);
  }
}
