import { useLocation } from 'preact-iso';
import type { AppAddress } from '../../contract/app-addresses.ts';
import { useRunWorkspaces, type Workspace } from '../session.ts';
import { common, places as texts } from '../texts/common.ts';

/** A workspace's places for owners and admins. */
const WORKSPACE_PLACES: readonly { readonly address: AppAddress; readonly name: string }[] = [
  { address: '/w/{workspace}', name: texts.overview },
  { address: '/w/{workspace}/events', name: texts.events },
  { address: '/w/{workspace}/send', name: texts.send },
  { address: '/w/{workspace}/channels', name: common.nav.channels },
  { address: '/w/{workspace}/heartbeats', name: texts.heartbeats },
  { address: '/w/{workspace}/on-call', name: texts.onCall },
  { address: '/w/{workspace}/keys', name: texts.keys },
  { address: '/w/{workspace}/webhooks', name: texts.webhooks },
  { address: '/w/{workspace}/members', name: texts.members },
  { address: '/w/{workspace}/devices', name: common.nav.devices },
  { address: '/w/{workspace}/audit', name: texts.audit },
];

/** Links to a workspace's places: in the rail, else above its pages. */
export function WorkspaceLinks({ slug }: { readonly slug: string }) {
  const { path } = useLocation();
  return (
    <>
      {WORKSPACE_PLACES.map(({ address, name }) => {
        const href = address.replace('{workspace}', slug);
        // An event's page belongs to the events. All places are below the overview's path, which must match exactly.
        const isHere = path === href || (address !== '/w/{workspace}' && path.startsWith(`${href}/`));
        return (
          <a key={href} href={href} aria-current={isHere ? 'page' : undefined}>
            {name}
          </a>
        );
      })}
    </>
  );
}

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
