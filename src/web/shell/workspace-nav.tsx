import type { Workspace } from '../session.ts';
import { WorkspaceLinks } from './workspace-links.tsx';
import { WorkspaceSwitch } from './workspace-switch.tsx';

/** Adds the places of the user's workspace to the rail, after the first page. */
export function WorkspaceNav({ current }: { readonly current: Workspace }) {
  return (
    <div class="nav-group">
      <WorkspaceSwitch current={current} />
      <WorkspaceLinks slug={current.slug} />
    </div>
  );
}
