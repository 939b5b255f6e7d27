import type { Stream } from './stream.ts';

/** Streams without a workspace share a count. */
const NONE = [0];

type Share = Pick<Stream, 'workspaceIds' | 'userId'>;

/**
 * Returns the stream to displace for one more of a person in these workspaces; null: none, as they have no fewer than
 * others.
 *
 * Chooses the longest open stream of the busiest person in the busiest workspace. A person in several workspaces counts
 * in each, but weighs as in the emptiest. `open`: in order of opening.
 */
export function displacedBy<S extends Share>(workspaceIds: readonly number[], open: readonly S[]): S | null {
  const inWorkspace = countsOf(open.flatMap(placesOf));
  const ofPerson = countsOf(open.map(({ userId }) => userId));
  const weightOf = (places: readonly number[]): number => Math.min(...places.map((id) => inWorkspace.get(id) ?? 0));
  const heaviest = open.reduce<{ stream: S; weight: number; own: number } | null>((most, stream) => {
    const weight = weightOf(placesOf(stream));
    const own = ofPerson.get(stream.userId) ?? 0;
    return most === null || weight > most.weight || (weight === most.weight && own > most.own)
      ? { stream, weight, own }
      : most;
  }, null);
  if (heaviest === null) return null;
  const mine = weightOf(workspaceIds.length === 0 ? NONE : workspaceIds);
  return mine + 1 < heaviest.weight ? heaviest.stream : null;
}

function placesOf({ workspaceIds }: Share): readonly number[] {
  return workspaceIds.length === 0 ? NONE : workspaceIds;
}

function countsOf(ids: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
