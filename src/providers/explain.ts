import { PROVIDER_NAMES, type ProviderName, providerOf, type Route } from '../push.ts';
import { QUEUE_REASONS, type QueueReason, type TableOutcome } from './outcomes/entry.ts';
import { byStatus, FAULT_OUTCOMES } from './outcomes.ts';
import { PROVIDERS } from './table.ts';

/** A reason's explanation. `provider` null: pushctl's own. */
export interface Explanation {
  readonly provider: ProviderName | null;
  readonly reason: string;
  readonly status: number | null;
  readonly outcome: TableOutcome | QueueReason['outcome'];
  readonly means: string;
  readonly remedy: string;
}

export function explain(reason: string): readonly Explanation[] {
  const wanted = reason.trim().toLowerCase();
  const status = /^http_([1-5]\d\d)$/.exec(wanted)?.[1];
  if (status !== undefined) return PROVIDER_NAMES.map((provider) => undocumented(provider, Number(status)));
  return explanations().filter((entry) => entry.reason.toLowerCase() === wanted);
}

/** Returns the explanation on a route; null: unknown. */
export function explainOn(route: Route, reason: string): Explanation | null {
  const own = providerOf(route);
  return explain(reason).find(({ provider }) => provider === null || provider === own) ?? null;
}

/** Returns all tables: providers', missing answers', and queue reasons. */
export function explanations(): readonly Explanation[] {
  return [
    ...PROVIDER_NAMES.flatMap((provider) =>
      Object.entries(PROVIDERS[provider].outcomes.entries).map(([reason, entry]) => ({ provider, reason, ...entry })),
    ),
    ...Object.entries(FAULT_OUTCOMES).map(([reason, entry]) => ({ provider: null, reason, ...entry })),
    ...Object.entries(QUEUE_REASONS).map(([reason, entry]) => ({ provider: null, reason, status: null, ...entry })),
  ];
}

function undocumented(provider: ProviderName, status: number): Explanation {
  return {
    provider,
    reason: `http_${status}`,
    status,
    outcome: byStatus(PROVIDERS[provider].outcomes, status),
    means: `The provider answered ${status} without a documented reason.`,
    remedy: 'If it continues, look for a proxy between this machine and the provider, and check the endpoint.',
  };
}
