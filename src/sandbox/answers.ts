import type { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { SingleAnswer } from './behaviours.ts';

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

/** Writes blanks for as long as the client takes them. */
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
