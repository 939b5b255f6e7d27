import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { ReadFile } from './provider.ts';

/** Why a provider is off, for the operator. */
export class Unusable extends Error {}

/** Reads a setting's certificate, used instead of the system's. */
export function readCa(path: string | null, setting: string, read: ReadFile): { ca?: string } {
  if (path === null) return {};
  const ca = read(path, setting);
  try {
    new X509Certificate(ca);
  } catch {
    throw new Unusable(`${setting} (${path}) is not a certificate in PEM form.`);
  }
  return { ca };
}

export function privateKey(pem: string, where: string, advice: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new Unusable(`${where} is not a private key in PEM form. ${advice}`);
  }
}

export function jsonObject(text: string, where: string, advice: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // It is reported below: the parser's own words would quote the file.
  }
  throw new Unusable(`${where} is not a JSON object. ${advice}`);
}
