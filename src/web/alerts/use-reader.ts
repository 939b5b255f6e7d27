import { usePerson } from '../session.ts';
import { useOwnName } from './own-name.ts';
import type { Reader } from './standing.ts';

/** The user who looks at an alert of this workspace. */
export function useReader(workspace: string): Reader {
  const name = useOwnName();
  const role = usePerson()?.workspaces.find(({ slug }) => slug === workspace)?.role ?? 'member';
  return { name, runs: role !== 'member' };
}
