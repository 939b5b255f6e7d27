import type { Outcome, ProviderName } from '../push.ts';
import { APNS_VERDICTS } from './apns/outcomes.ts';
import { FCM_VERDICTS } from './fcm/outcomes.ts';
import { BUSY, DEAD, type Entry, FAULT, REJECTED, type Ruling, toOutcome, UNAUTHORIZED } from './outcomes/entry.ts';
import { FAULT_VERDICTS, type Fault } from './outcomes/faults.ts';
import { ENDINGS, type Ending } from './outcomes/queue-reasons.ts';

/** An HTTP answer of a provider. `reason`: its own word. `atMs`: since when the token is dead, Unix time. */
export interface Answer {
  readonly status: number;
  readonly reason: string | null;
  readonly atMs?: number;
  readonly retryAfterS?: number;
}

/** THE table: provider and reason to what it means. Reasons of ours, for want of an answer, stand under `faults`. */
export const VERDICTS = { apns: APNS_VERDICTS, fcm: FCM_VERDICTS, faults: FAULT_VERDICTS } as const;

/**
 * What an answer means. A reason counts only together with the status that it is documented with: a token must not die of
 * an answer that the provider never gave. Everything else falls back to its class of status.
 */
export function judge(provider: ProviderName, answer: Answer): Outcome {
  if (answer.status === 200) return { kind: 'accepted' };
  const known = entryOf(provider, answer.reason);
  if (known?.status === answer.status && answer.reason !== null) return toOutcome(known.outcome, answer.reason, answer);
  return toOutcome(byStatus(provider, answer.status), nameOf(answer), answer);
}

/** What it means that no answer came. */
export function judgeFault(fault: Fault): Outcome {
  return toOutcome(FAULT_VERDICTS[fault].outcome, fault);
}

export interface Explanation {
  readonly provider: ProviderName | null;
  readonly reason: string;
  readonly status: number | null;
  readonly outcome: Ruling | Ending['outcome'];
  readonly means: string;
  readonly remedy: string;
}

/** Everything the table says about a reason, as it stands in a delivery; upper and lower case count alike. */
export function explain(reason: string): readonly Explanation[] {
  const wanted = reason.trim().toLowerCase();
  const status = /^http_([1-5]\d\d)$/.exec(wanted)?.[1];
  if (status !== undefined) return (['apns', 'fcm'] as const).map((provider) => undocumented(provider, Number(status)));
  return explanations().filter((entry) => entry.reason.toLowerCase() === wanted);
}

/** The whole table, and the reasons of what ended without another try. */
export function explanations(): readonly Explanation[] {
  const judged = Object.entries(VERDICTS).flatMap(([group, entries]) =>
    Object.entries<Entry>(entries).map(
      ([reason, entry]): Explanation => ({
        provider: group === 'apns' || group === 'fcm' ? group : null,
        reason,
        ...entry,
      }),
    ),
  );
  const ended = Object.entries(ENDINGS).map(
    ([reason, ending]): Explanation => ({
      provider: null,
      reason,
      status: null,
      ...ending,
    }),
  );
  return [...judged, ...ended];
}

function entryOf(provider: ProviderName, reason: string | null): Entry | undefined {
  const table: Readonly<Record<string, Entry>> = VERDICTS[provider];
  return reason !== null && Object.hasOwn(table, reason) ? table[reason] : undefined;
}

function undocumented(provider: ProviderName, status: number): Explanation {
  return {
    provider,
    reason: `http_${status}`,
    status,
    outcome: byStatus(provider, status),
    means: `The provider answered ${status} with no reason that its documents name.`,
    remedy: 'Where it lasts, look for a proxy between this machine and the provider, and check the endpoint.',
  };
}

/** For answers that no document knows. Nothing here is believed to prove that a token is dead but Apple's 410. */
function byStatus(provider: ProviderName, status: number): Ruling {
  if (status >= 500 || status === 408 || status === 425 || status === 429) return BUSY;
  if (status === 401 || status === 403 || status === 407) return UNAUTHORIZED;
  if (status === 404 && provider === 'fcm') return UNAUTHORIZED;
  if (status === 410 && provider === 'apns') return { ...DEAD, suspect: true };
  if (status >= 400) return REJECTED;
  return FAULT;
}

/** `http_502`, or the provider's new word where it looks like one: free text could carry anything into the database. */
function nameOf(answer: Answer): string {
  return answer.reason !== null && /^\w{1,60}$/.test(answer.reason) ? answer.reason : `http_${answer.status}`;
}
