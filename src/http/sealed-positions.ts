import { createCipheriv, createDecipheriv } from 'node:crypto';
import { fieldProblem } from '../contract/details.ts';
import type { OwnSeal } from './auth/own-seal.ts';
import { fieldError } from './errors.ts';

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
