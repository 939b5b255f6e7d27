import { usePerson } from '../session.ts';
import { useOwnId } from './own-id.ts';
import type { Reader } from './standing.ts';

export function useReader(workspace: string): Reader {
  const id = useOwnId();
  const role = usePerson()?.workspaces.find(({ slug }) => slug === workspace)?.role ?? 'member';
  return { id, runs: role !== 'member' };
}
