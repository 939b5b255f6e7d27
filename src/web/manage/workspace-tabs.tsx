import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Workspace } from '../session.ts';
import { WorkspaceLinks } from '../shell/workspace-links.tsx';
import { WorkspaceSwitch } from '../shell/workspace-switch.tsx';

/** On a phone, where there is no rail: the places of a workspace in a row that is swiped, and stays in sight. */
export function WorkspaceTabs({ workspace }: { readonly workspace: Workspace }) {
  const { path } = useLocation();
  const row = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current one has changed
  useEffect(() => {
    const current = row.current?.querySelector<HTMLElement>('[aria-current]');
    if (row.current && current) row.current.scrollLeft = current.offsetLeft - row.current.clientWidth / 3;
  }, [path]);
  return (
    <nav class="tabs" aria-label={workspace.name}>
      <WorkspaceSwitch current={workspace} />
      <div class="tabs-row" ref={row}>
        <WorkspaceLinks slug={workspace.slug} />
      </div>
    </nav>
  );
}
