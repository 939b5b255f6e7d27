import { msOf } from '../format/time.ts';

/** The part of an event that repeats are compared by. */
interface Repeatable {
  readonly workspace: string;
  readonly channel: string | null;
  readonly level: string;
  readonly title: string;
  readonly collapse_key: string | null;
  readonly received_at: string;
}

const TOGETHER_MS = 600_000;

/**
 * Groups repeats, newest first, at the newest: same channel, level and collapse key; without a key, same title within
 * ten minutes. Errors never share a row with successes.
 */
export function repeats<E extends Repeatable>(events: readonly E[]): readonly (readonly E[])[] {
  const groups: E[][] = [];
  const latest = new Map<string, E[]>();
  for (const event of events) {
    const { workspace, channel, level, title, collapse_key: key } = event;
    const name = JSON.stringify([workspace, channel, level, key, key === null ? title : null]);
    const group = latest.get(name);
    if (group && (key !== null || isNear(group.at(-1) ?? event, event))) {
      group.push(event);
      continue;
    }
    const begun = [event];
    groups.push(begun);
    latest.set(name, begun);
  }
  return groups;
}

function isNear(later: Repeatable, earlier: Repeatable): boolean {
  return msOf(later.received_at) - msOf(earlier.received_at) <= TOGETHER_MS;
}
