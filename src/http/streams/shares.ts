import type { Stream } from './stream.ts';

/** Streams without a workspace share a place in the count. */
const NONE = [0];

type Share = Pick<Stream, 'workspaceIds' | 'userId'>;

/**
 * The stream that gives way to one more of a person in these workspaces; null: those have as many as any other. It is of
 * the workspace that has the most streams, there of the person who has the most, and the one that has been open for
 * longest. A stream of a person in several workspaces counts in each, and weighs as in the emptiest of them: none is
 * displaced for being in a full one, too. `open`: in the order in which they were opened.
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
