import { createSign, generateKeyPairSync, hash, randomBytes } from 'node:crypto';

/** An authenticator as software: makes passkeys (ES256) and signs challenges, as a browser hands them on. */
export class Authenticator {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #id = randomBytes(16);
  readonly #origin: string;
  readonly #rpId: string;
  counter = 0;
  /** The browser's data on the page beside its origin. */
  page: Readonly<Record<string, unknown>> = { crossOrigin: false };

  constructor(origin: string, rpId = new URL(origin).hostname) {
    this.#origin = origin;
    this.#rpId = rpId;
  }

  /** The answer of `navigator.credentials.create()`. `format`: of its attestation. */
  made(challenge: string, format = 'none'): object {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const point = (key: number, value: string) =>
      Buffer.concat([Buffer.from([key, 0x58, 32]), Buffer.from(value, 'base64url')]);
    // A COSE key: EC2, ES256, P-256, x and y.
    const publicKey = Buffer.concat([Buffer.from('a5010203262001', 'hex'), point(0x21, x), point(0x22, y)]);
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, this.#id.length]), this.#id, publicKey]);
    const data = Buffer.concat([this.#data(0x45), attested]);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3, 0x63]),
      Buffer.from('fmt'),
      Buffer.from([0x60 + format.length]),
      Buffer.from(format),
      Buffer.from([0x67]),
      Buffer.from('attStmt'),
      Buffer.from([0xa0, 0x68]),
      Buffer.from('authData'),
      Buffer.from([0x58, data.length]),
      data,
    ]);
    return this.#answer({
      clientDataJSON: this.#client('webauthn.create', challenge).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
    });
  }

  /** The answer of `navigator.credentials.get()`. `flags`: 5 says that the person was there and was verified. */
  signed(challenge: string, flags = 0x05): object {
    const data = this.#data(flags);
    const client = this.#client('webauthn.get', challenge);
    const signature = createSign('sha256')
      .update(data)
      .update(Buffer.from(hash('sha256', client), 'hex'))
      .sign(this.#keys.privateKey);
    return this.#answer({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
    });
  }

  #answer(response: object): object {
    const id = this.#id.toString('base64url');
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #client(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, ...this.page }));
  }

  #data(flags: number): Buffer {
    const rest = Buffer.alloc(5);
    rest[0] = flags;
    rest.writeUInt32BE(this.counter, 1);
    return Buffer.concat([Buffer.from(hash('sha256', this.#rpId), 'hex'), rest]);
  }
}
