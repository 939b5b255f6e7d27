import { createHash } from 'node:crypto';
import { parseDurationMs } from '../config/units.ts';
import { PROVIDER_NAMES, type ProviderName } from '../push.ts';
import type { BehaviourName } from './behaviours.ts';

/** How devices of a provider, or of all, answer for a while, whatever their own way is. */
export interface Fault {
  /** As it was written. */
  readonly text: string;
  /** Null: all. */
  readonly provider: ProviderName | null;
  readonly behaviour: BehaviourName;
  /** Of the behaviour, in its unit. */
  readonly parameter: number;
  /** Of the devices, from 0 to 1: always the same ones. */
  readonly share: number;
  /** Null: until it is taken back. */
  readonly forMs: number | null;
}

const PLAIN: ReadonlyMap<string, BehaviourName> = new Map([
  ['429', 'too_many'],
  ['500', 'internal_error'],
  ['reset', 'reset'],
  ['hang', 'silent'],
]);

/** `429:apns:for=60s`; null where it is none. */
export function parseFault(text: string): Fault | null {
  const [kind = '', ...rest] = text.split(':');
  const answer = answerOf(kind);
  const length = rest.find((part) => part.startsWith('for='));
  const [name = null, ...more] = rest.filter((part) => part !== length);
  const provider = PROVIDER_NAMES.find((one) => one === name) ?? null;
  const forMs = length === undefined ? null : parseDurationMs(length.slice('for='.length));
  if (answer === null || more.length > 0 || (name !== null && provider === null)) return null;
  if (length !== undefined && forMs === null) return null;
  return { text, provider, forMs, ...answer };
}

/** Whether the fault is one of this device. */
export function affects({ share }: Fault, token: string): boolean {
  return share >= 1 || createHash('sha256').update(token).digest().readUInt32BE() < share * 2 ** 32;
}

function answerOf(kind: string): Pick<Fault, 'behaviour' | 'parameter' | 'share'> | null {
  const plain = PLAIN.get(kind);
  if (plain !== undefined) return { behaviour: plain, parameter: 0, share: 1 };
  const [, name, value = ''] = /^(slow|stale)=(.+)$/.exec(kind) ?? [];
  if (name === 'slow') {
    const ms = parseDurationMs(value);
    return ms === null ? null : { behaviour: 'slow', parameter: ms, share: 1 };
  }
  const percent = /^(\d{1,3})%$/.exec(value)?.[1];
  if (name !== 'stale' || percent === undefined || Number(percent) > 100) return null;
  return { behaviour: 'unregistered', parameter: 0, share: Number(percent) / 100 };
}
