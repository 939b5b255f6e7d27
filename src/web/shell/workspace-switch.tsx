import { useLocation } from 'preact-iso';
import { useRunWorkspaces, type Workspace } from '../session.ts';
import { common } from '../texts/common.ts';
import { addressIn } from './current-workspace.ts';

/** Names the workspace whose places are around it, and leads to the others that the user runs. */
export function WorkspaceSwitch({ current }: { readonly current: Workspace }) {
  const { path } = useLocation();
  const others = useRunWorkspaces().filter(({ slug }) => slug !== current.slug);
  if (others.length === 0) {
    return (
      <p class="switch-name" dir="auto">
        {current.name}
      </p>
    );
  }
  return (
    // It is closed again wherever one goes.
    <details key={path}>
      <summary class="switch-name">
        <span class="said">{common.nav.workspace}</span> <bdi>{current.name}</bdi>
      </summary>
      {others.map(({ slug, name }) => (
        <a key={slug} class="switch-other" href={addressIn(slug, path)} dir="auto">
          {name}
        </a>
      ))}
    </details>
  );
}
