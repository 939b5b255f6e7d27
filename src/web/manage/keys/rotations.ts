interface Key {
  readonly id: string;
  readonly successor: string | null;
}

/** A key with those that it has taken the place of, the latest first, as far as they are among the keys. */
interface Rotation<K extends Key> {
  readonly key: K;
  readonly old: readonly K[];
}

/** The keys, each old one with the one that has taken its place. */
export function rotationsOf<K extends Key>(keys: readonly K[]): readonly Rotation<K>[] {
  const ids = new Set(keys.map(({ id }) => id));
  const isReplaced = ({ successor }: K): boolean => successor !== null && ids.has(successor);
  return keys.filter((key) => !isReplaced(key)).map((key) => ({ key, old: predecessors(key, keys) }));
}

function predecessors<K extends Key>({ id }: K, keys: readonly K[]): readonly K[] {
  return keys.filter(({ successor }) => successor === id).flatMap((one) => [one, ...predecessors(one, keys)]);
}
