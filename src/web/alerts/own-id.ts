import { usePerson } from '../session.ts';

/** Returns the user's id as in `person_ids`; null: not yet known. */
export function useOwnId(): string | null {
  return usePerson()?.user.id ?? null;
}
