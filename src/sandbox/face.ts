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
export function isAccepted(answer: SingleAnswer): boolean {
  return answer.kind === 'accept' || answer.kind === 'cut' || answer.kind === 'drip' || answer.kind === 'goaway';
}

/** The word under which the journal keeps a request that was not accepted. */
export function reasonOf(answer: SingleAnswer): string {
  return answer.kind === 'refuse' ? answer.reason : answer.kind;
}
