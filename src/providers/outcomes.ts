import type { Outcome } from '../push.ts';
import {
  BUSY,
  FAULT,
  type OutcomeTable,
  REJECTED,
  type TableOutcome,
  UNAUTHORIZED,
  withReason,
} from './outcomes/entry.ts';
import { FAULT_OUTCOMES, type Fault } from './outcomes/faults.ts';

/** A provider's HTTP answer. `reason`: verbatim. `atMs`: the token's death, Unix time. */
export interface ProviderAnswer {
  readonly status: number;
  readonly reason: string | null;
  readonly atMs?: number;
  readonly retryAfterS?: number;
}

/** No fault has a push accepted. */
export type Failed = Exclude<Outcome, { readonly kind: 'accepted' }>;

/**
 * Returns an answer's outcome. Reasons count only with their documented status: no undocumented answer ends a token.
 * Others fall back to the status's class.
 */
export function outcomeOf(table: OutcomeTable, answer: ProviderAnswer): Outcome {
  const { reason, status } = answer;
  const known = reason !== null && Object.hasOwn(table.entries, reason) ? table.entries[reason] : undefined;
  const isAsDocumented = known?.status === status || known?.otherStatus === status;
  if (known && reason !== null && isAsDocumented) return withReason(known.outcome, reason, answer);
  return withReason(byStatus(table, status), nameOf(answer), answer);
}

export function outcomeOfFault(fault: Fault): Failed {
  return withReason(FAULT_OUTCOMES[fault].outcome, fault) as Failed;
}

/** Returns the outcome of a failed connection. `words`: the system's. */
export function notConnected(words: string): Failed {
  return { kind: 'unavailable', reason: 'connect_failed', words };
}

/** Judges undocumented answers. Any 2xx is a yes: a retry would show the push twice. Only the table ends tokens. */
export function byStatus(table: OutcomeTable, status: number): TableOutcome {
  const own = table.byStatus?.[status];
  if (own !== undefined) return own;
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  if (status >= 500 || status === 408 || status === 425 || status === 429) return BUSY;
  if (status === 401 || status === 403 || status === 407) return UNAUTHORIZED;
  return status >= 400 ? REJECTED : FAULT;
}

/** Returns `http_502`, or a new word; free text could bring anything into the database. */
function nameOf({ reason, status }: ProviderAnswer): string {
  return reason !== null && /^\w{1,60}$/.test(reason) ? reason : `http_${status}`;
}
