import { useLocation } from 'preact-iso';
import type { AppAddress } from '../../contract/app-addresses.ts';
import { common } from '../texts/common.ts';
import { texts } from '../texts/workspace-places.ts';

/** The places of a workspace, for its owners and admins. */
const WORKSPACE_PLACES: readonly { readonly address: AppAddress; readonly name: string }[] = [
  { address: '/w/{workspace}', name: texts.overview },
  { address: '/w/{workspace}/events', name: texts.events },
  { address: '/w/{workspace}/send', name: texts.send },
  { address: '/w/{workspace}/channels', name: common.nav.channels },
  { address: '/w/{workspace}/heartbeats', name: texts.heartbeats },
  { address: '/w/{workspace}/keys', name: texts.keys },
  { address: '/w/{workspace}/webhooks', name: texts.webhooks },
  { address: '/w/{workspace}/members', name: texts.members },
  { address: '/w/{workspace}/devices', name: common.nav.devices },
  { address: '/w/{workspace}/audit', name: texts.audit },
];

/** Links to the places of a workspace: in the rail, or above its pages if there is no rail. */
export function WorkspaceLinks({ slug }: { readonly slug: string }) {
  const { path } = useLocation();
  return (
    <>
      {WORKSPACE_PLACES.map(({ address, name }) => {
        const href = address.replace('{workspace}', slug);
        // The page of an event belongs to the events. All places are below the overview, which must match exactly.
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
