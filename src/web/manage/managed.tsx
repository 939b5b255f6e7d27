import './manage.css';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { IdentityDialog } from '../components/dialogs/identity-dialog.tsx';
import { BackLink } from '../components/links.tsx';
import { Skeleton } from '../components/loading.tsx';
import { OfWorkspace, Page, type PageProps } from '../components/page.tsx';
import { usePerson, type Workspace } from '../session.ts';
import { WorkspaceLinks, WorkspaceSwitch } from '../shell/nav.tsx';
import { common, lists as texts, waiting as waitingTexts } from '../texts/common.ts';

export interface ManagedProps {
  readonly workspace: Workspace;
  /** A thing's name in its page's address: an event's public id, a member's email. */
  readonly subject: string;
}

/** Makes a page for owners and admins, or all members. Others read that it is not for them: the server would refuse. */
export function managed(
  Inner: ComponentType<ManagedProps>,
  { forMembers = false }: { readonly forMembers?: boolean } = {},
): ComponentType<PageProps> {
  return function Managed({ workspace: slug = '', event, member, device, channel }: PageProps) {
    const subject = event ?? member ?? device ?? channel ?? '';
    const person = usePerson();
    if (person === null) return <Waiting />;
    const workspace = person.workspaces.find((workspace) => workspace.slug === slug);
    const waiting = [...person.waiting, ...person.workspaces].find(
      (workspace) => workspace.slug === slug && workspace.waiting_for !== null,
    );
    const runs = workspace !== undefined && workspace.role !== 'member';
    const isShown = runs || (forMembers && workspace !== undefined);
    if (waiting !== undefined && workspace?.role !== 'admin' && !isShown) return <NotYet workspace={waiting} />;
    if (!isShown) return <NotYours workspace={workspace} />;
    return (
      <OfWorkspace.Provider value={workspace.name}>
        {runs && <WorkspaceTabs workspace={workspace} />}
        <Inner key={`${slug}/${subject}`} workspace={workspace} subject={subject} />
        <IdentityDialog key={`${slug}/${subject} identity`} />
      </OfWorkspace.Provider>
    );
  };
}

/** Shown until the user is known. A banner explains failures. */
function Waiting() {
  return (
    <Page title={common.app}>
      <Skeleton label={texts.loading} />
    </Page>
  );
}

/** Shown to users with rights that this session lacks. */
function NotYet({ workspace: { name } }: { readonly workspace: Workspace }) {
  return (
    <Page title={waitingTexts.title(name)}>
      <p>{waitingTexts.open}</p>
    </Page>
  );
}

function NotYours({ workspace }: { readonly workspace: Workspace | undefined }) {
  return (
    <Page title={workspace === undefined ? texts.notThere.title : texts.notYours.title(workspace.name)}>
      <p>{workspace === undefined ? texts.notThere.text : texts.notYours.text}</p>
      <BackLink />
    </Page>
  );
}

/** Shows a workspace's places on phones, without rail, in a sticky, swiped row. */
function WorkspaceTabs({ workspace }: { readonly workspace: Workspace }) {
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
