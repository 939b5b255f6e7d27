/** The key that Apple's console would issue. `topic`: the app's bundle ID. */
export interface ApnsKeys {
  readonly apnsKey: ApnsKey;
  readonly topic: string;
}

export interface ApnsKey {
  /** PKCS #8, as in Apple's .p8 files. */
  readonly pem: string;
  readonly keyId: string;
  readonly teamId: string;
}
