import type { Workspace } from '../session.ts';
import { WorkspaceLinks } from './workspace-links.tsx';
import { WorkspaceSwitch } from './workspace-switch.tsx';

/** Of the rail: the places of a workspace that the user runs. Loaded behind the first page, which shows without it. */
export function WorkspaceNav({ current }: { readonly current: Workspace }) {
  return (
    <div class="nav-group">
      <WorkspaceSwitch current={current} />
      <WorkspaceLinks slug={current.slug} />
    </div>
  );
}
