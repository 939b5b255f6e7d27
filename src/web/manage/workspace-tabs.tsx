import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Workspace } from '../session.ts';
import { WorkspaceLinks } from '../shell/workspace-links.tsx';

/** On a phone, where there is no rail: the places of a workspace in a row that is swiped. */
export function WorkspaceTabs({ workspace }: { readonly workspace: Workspace }) {
  const { path } = useLocation();
  const row = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current one has changed
  useEffect(() => {
    const current = row.current?.querySelector<HTMLElement>('[aria-current]');
    if (row.current && current) row.current.scrollLeft = current.offsetLeft - row.current.clientWidth / 3;
  }, [path]);
  return (
    <nav class="tabs" aria-label={workspace.name} ref={row}>
      <WorkspaceLinks slug={workspace.slug} />
    </nav>
  );
}
