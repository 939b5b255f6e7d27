import { useLocation } from 'preact-iso';
import { unread } from '../api/unread.ts';
import { shortUnreadText, unreadText } from '../format/unread.ts';
import { useRunWorkspaces } from '../session.ts';
import { useShared } from '../shared.ts';
import { common } from '../texts/common.ts';
import { NavIcon } from './nav-icon.tsx';
import { OWN_PLACES } from './places.ts';
import { WorkspaceLinks } from './workspace-links.tsx';

/** The bar at the bottom of a phone; from 720 px a rail, with the workspaces that one runs below one's own things. */
export function Nav() {
  const { path } = useLocation();
  const run = useRunWorkspaces();
  return (
    <nav class="nav" aria-label={common.nav.label}>
      <p class="nav-name">{common.app}</p>
      {OWN_PLACES.map(({ address, name, icon }) => (
        <a key={address} href={address} aria-current={isAt(path, address) ? 'page' : undefined}>
          <NavIcon name={icon} />
          {name}
          {address === '/' && <Unread />}
        </a>
      ))}
      {run.map(({ slug, name }) => (
        <div key={slug} class="nav-group">
          <p>{common.nav.youRun(name)}</p>
          <WorkspaceLinks slug={slug} />
        </div>
      ))}
    </nav>
  );
}

function Unread() {
  const count = useShared(unread);
  if (count.events === 0) return null;
  return (
    <span class="nav-count num">
      <span class="nav-count-short">{shortUnreadText(count)}</span>
      <span class="nav-count-whole">{unreadText(count)}</span> <span class="said">{common.unreadCount}</span>
    </span>
  );
}

/** The inbox has two addresses, and an event belongs to it. */
function isAt(path: string, address: string): boolean {
  if (address === '/') return path === '/' || path === '/inbox' || path.startsWith('/events/');
  return path === address;
}
