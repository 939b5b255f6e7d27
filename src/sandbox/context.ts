import type { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { SingleAnswer } from './behaviours.ts';
import type { Journal } from './journal.ts';
import type { Listener, Outage } from './listener.ts';
import type { RuleBook } from './rules.ts';

/** What all of the sandbox's servers share. */
export interface Surroundings {
  readonly rules: RuleBook;
  readonly journal: Journal;
  readonly wallMs: () => number;
  readonly tls: { readonly cert: string; readonly key: string };
  /** Well-formed tokens that no sandbox issued are good everywhere, instead of bad everywhere. */
  readonly acceptUnknownTokens: boolean;
}

/** One running server of the sandbox. */
export interface RunningFace {
  readonly listener: Listener;
  setOutage(outage: Outage): Promise<void>;
  close(): Promise<void>;
}

/** Whether the provider takes the push, whatever then happens to its answer. */
export function isAccepted({ kind }: SingleAnswer): boolean {
  return ACCEPTED.includes(kind);
}
const ACCEPTED: readonly SingleAnswer['kind'][] = ['accept', 'cut', 'drip', 'endless', 'bomb', 'goaway'];

const BOMB_BYTES = 50_000_000;

/** A short JSON text that inflates to a long one. */
export function bombOf(json: string): Buffer {
  return gzipSync(json.padEnd(BOMB_BYTES));
}

/** Writes blanks for as long as somebody takes them. */
export function writeForEver(stream: Writable): void {
  const blanks = Buffer.alloc(65_536, ' ');
  const go = (): void => {
    while (!stream.destroyed && stream.write(blanks));
  };
  stream.on('drain', go);
  go();
}

/** The word under which the journal keeps a request that was not accepted. */
export function reasonOf(answer: SingleAnswer): string {
  return answer.kind === 'refuse' ? answer.reason : answer.kind;
}
