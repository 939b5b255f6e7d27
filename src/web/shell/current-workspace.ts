import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useRunWorkspaces, type Workspace } from '../session.ts';

const KEPT_AS = 'workspace';

/** The one of those that the user runs whose places are shown: where they are, else where they were last. */
export function useCurrentWorkspace(): Workspace | undefined {
  const { path } = useLocation();
  const run = useRunWorkspaces();
  const [, here] = /^\/w\/([^/]+)/.exec(path) ?? [];
  const slug = here ?? localStorage.getItem(KEPT_AS);
  const current = run.find((one) => one.slug === slug) ?? run[0];
  useEffect(() => {
    if (here !== undefined) localStorage.setItem(KEPT_AS, here);
  }, [here]);
  return current;
}
