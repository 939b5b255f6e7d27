import type { Workspace } from '../session.ts';
import { WorkspaceLinks } from './workspace-links.tsx';
import { WorkspaceSwitch } from './workspace-switch.tsx';

/**
 * Adds the places of a workspace that the user runs to the rail. Loaded after the first page, which does not need it.
 */
export function WorkspaceNav({ current }: { readonly current: Workspace }) {
  return (
    <div class="nav-group">
      <WorkspaceSwitch current={current} />
      <WorkspaceLinks slug={current.slug} />
    </div>
  );
}
