import { usePerson } from '../session.ts';

/** Returns the id of the person here, as `person_ids` of alerts has it; null: it is not known yet. */
export function useOwnId(): string | null {
  return usePerson()?.user.id ?? null;
}
