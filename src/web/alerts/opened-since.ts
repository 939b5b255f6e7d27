interface Alert {
  readonly id: string;
  readonly title: string;
  readonly state: string;
}

/** Returns the newly open alerts, newest first. */
export function openedSince<A extends Alert>(known: ReadonlySet<string>, alerts: readonly A[]): readonly A[] {
  return openOnes(alerts).filter(({ id }) => !known.has(id));
}

export function openOnes<A extends Alert>(alerts: readonly A[]): readonly A[] {
  return alerts.filter(({ state }) => state === 'open');
}
