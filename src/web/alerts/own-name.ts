import { usePerson } from '../session.ts';

/** The name by which others see the person here, as `shownName` of the server makes it; null: it is not known yet. */
export function useOwnName(): string | null {
  const user = usePerson()?.user;
  if (user === undefined) return null;
  return user.name === user.email ? (user.email.split('@')[0] ?? user.email) : user.name;
}
