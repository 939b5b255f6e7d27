import { certify, DNS_NAME, makeRsaKeys, serverExtensions } from './certify.ts';

const DAYS = 30;

/** Makes an untrusted stand-in until the first certificate: key, then certificate. */
export async function makeSelfSigned(domains: readonly string[], nowMs: number): Promise<string> {
  const { publicKey, privateKey } = await makeRsaKeys();
  const name = [{ name: 'commonName', value: 'pushctl self-signed' }];
  const cert = certify({
    publicKeyPem: publicKey,
    subject: name,
    issuer: name,
    signingKeyPem: privateKey,
    nowMs,
    days: DAYS,
    extensions: serverExtensions(domains.map((value) => ({ type: DNS_NAME, value }))),
  });
  return `${privateKey}${cert}`;
}
