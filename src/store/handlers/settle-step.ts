/** Dead devices of one call: up to eight subscriptions of each follow at once, and the others leave a job. */
const MOST_GONE = 10;

/** Returns one call's verdicts. Those on further dead devices wait. */
export function firstVerdicts<V extends { readonly verdict: { readonly state: string } }>(
  verdicts: readonly V[],
): readonly V[] {
  let gone = 0;
  return verdicts.filter(({ verdict }) => verdict.state !== 'unregistered' || ++gone <= MOST_GONE);
}
