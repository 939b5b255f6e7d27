import { useLocation } from 'preact-iso';
import { WORKSPACE_PLACES } from './places.ts';

/** The places of a workspace, as links: in the rail, and above its pages where there is none. */
export function WorkspaceLinks({ slug }: { readonly slug: string }) {
  const { path } = useLocation();
  return (
    <>
      {WORKSPACE_PLACES.map(({ address, name }) => {
        const href = address.replace('{workspace}', slug);
        // An event belongs to the events; all of them are below the overview.
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
