import { createHash } from 'node:crypto';
import { parseDurationMs } from '../config/units.ts';
import { PROVIDER_NAMES, type ProviderName } from '../push.ts';
import type { SandboxAnswer } from './answers.ts';

/** A temporary answer of one or all providers' devices. */
export interface Fault {
  /** The original text. */
  readonly text: string;
  /** Null: all. */
  readonly provider: ProviderName | null;
  readonly kind: FaultKind;
  /** The share of devices, from 0 to 1: always the same ones. */
  readonly share: number;
  /** Null: until it is taken back. */
  readonly forMs: number | null;
}

type FaultKind = { readonly refuse: keyof RefusalWords } | Exclude<SandboxAnswer, { kind: 'refuse' | 'own' }>;

/** The provider's reason for each. */
export interface RefusalWords {
  readonly unregistered: string;
  readonly too_many: string;
  readonly internal_error: string;
}

const PLAIN: ReadonlyMap<string, FaultKind> = new Map<string, FaultKind>([
  ['429', { refuse: 'too_many' }],
  ['500', { refuse: 'internal_error' }],
  ['reset', { kind: 'reset' }],
  ['hang', { kind: 'silent' }],
]);

export class Faults {
  #faults: readonly Fault[] = [];
  #ends: readonly NodeJS.Timeout[] = [];

  set(given: readonly Fault[]): void {
    for (const end of this.#ends) clearTimeout(end);
    this.#faults = given;
    this.#ends = given.flatMap((fault) => {
      if (fault.forMs === null) return [];
      const end = () => {
        this.#faults = this.#faults.filter((active) => active !== fault);
      };
      return setTimeout(end, fault.forMs).unref();
    });
  }

  answerOf(provider: ProviderName, token: string, words: RefusalWords): SandboxAnswer {
    const isMeant = (fault: Fault) => fault.provider === null || fault.provider === provider;
    const fault = this.#faults.find((active) => isMeant(active) && isAffected(active, token));
    if (fault === undefined) return { kind: 'accept' };
    return 'refuse' in fault.kind ? { kind: 'refuse', reason: words[fault.kind.refuse] } : fault.kind;
  }
}

/** Parses e.g. `429:apns:for=60s`; null if invalid. */
export function parseFault(text: string): Fault | null {
  const [kind = '', ...rest] = text.split(':');
  const answer = answerOf(kind);
  const length = rest.find((part) => part.startsWith('for='));
  const [name = null, ...more] = rest.filter((part) => part !== length);
  const provider = PROVIDER_NAMES.find((known) => known === name) ?? null;
  const forMs = length === undefined ? null : parseDurationMs(length.slice('for='.length));
  if (answer === null || more.length > 0 || (name !== null && provider === null)) return null;
  if (length !== undefined && forMs === null) return null;
  return { text, provider, forMs, ...answer };
}

export function isAffected({ share }: Fault, token: string): boolean {
  return share >= 1 || createHash('sha256').update(token).digest().readUInt32BE() < share * 2 ** 32;
}

function answerOf(kind: string): Pick<Fault, 'kind' | 'share'> | null {
  const plain = PLAIN.get(kind);
  if (plain !== undefined) return { kind: plain, share: 1 };
  const [, name, value = ''] = /^(slow|stale)=(.+)$/.exec(kind) ?? [];
  if (name === 'slow') {
    const afterMs = parseDurationMs(value);
    return afterMs === null ? null : { kind: { kind: 'accept', afterMs }, share: 1 };
  }
  const percent = /^(\d{1,3})%$/.exec(value)?.[1];
  if (name !== 'stale' || percent === undefined || Number(percent) > 100) return null;
  return { kind: { refuse: 'unregistered' }, share: Number(percent) / 100 };
}
