import './workspace-nav.css';
import { useLocation } from 'preact-iso';
import { useRunWorkspaces, type Workspace } from '../session.ts';
import { places as texts } from '../texts/common.ts';

/** Names the current workspace, linking the user's others. */
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
    // The key closes the list after each navigation.
    <details key={path}>
      <summary class="switch-name">
        <span class="said">{texts.workspace}</span> <bdi>{current.name}</bdi>
      </summary>
      {others.map(({ slug, name }) => (
        <a key={slug} class="switch-other" href={addressIn(slug, path)} dir="auto">
          {name}
        </a>
      ))}
    </details>
  );
}

/** Returns the same list in another workspace, never a single thing. */
function addressIn(slug: string, path: string): string {
  const [, place = ''] = /^\/w\/[^/]+(\/[^/]+)?/.exec(path) ?? [];
  return `/w/${slug}${place}`;
}
