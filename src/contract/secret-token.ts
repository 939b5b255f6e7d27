import { hash } from 'node:crypto';

/** A secret token reads `<prefix><secret>`: 256 random bits, 43 base64url characters. Only the SHA-256 is stored. */
export interface SecretToken {
  /** The whole token. Shown once, never stored. */
  readonly text: string;
  /** SHA-256 of the whole token, hex. */
  readonly tokenHash: string;
}

export interface SecretTokens {
  /** `random` returns that many bytes: `crypto.randomBytes`, except in tests. */
  create(random: (bytes: number) => Uint8Array): SecretToken;
  /** Returns a token's hash (hex); null: no such token. */
  parse(text: string): string | null;
}

const SECRET_BYTES = 32;

export function secretTokens(prefix: string): SecretTokens {
  // The last character carries four bits; we issue only zero spare bits.
  const shape = new RegExp(`^${prefix}[\\w-]{42}[AEIMQUYcgkosw048]$`);
  const hashOf = (text: string) => hash('sha256', text);

  return {
    create(random) {
      const text = `${prefix}${Buffer.from(random(SECRET_BYTES)).toString('base64url')}`;
      return { text, tokenHash: hashOf(text) };
    },
    parse: (text) => (shape.test(text) ? hashOf(text) : null),
  };
}
