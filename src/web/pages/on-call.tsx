import { ask } from '../api/ask.ts';
import { useLoad } from '../api/use-load.ts';
import { IdentityDialog } from '../components/dialogs/identity-dialog.tsx';
import { Page } from '../components/page.tsx';
import { Rotas } from '../on-call/rotas.tsx';
import { usePerson } from '../session.ts';
import '../manage/manage.css';
import { Loading } from '../components/loading.tsx';
import { EmptyList } from '../manage/list.tsx';
import { rotas as texts } from '../texts/channels.ts';

/** Shows the rotas of all workspaces of the person. */
export default function OnCall() {
  const loaded = useLoad('on-call', () => ask('get', '/v1/on-call', {}), ['on_call']);
  const { data } = loaded;
  const workspaces = usePerson()?.workspaces ?? [];
  const shown = workspaces.filter(({ slug }) => data?.rotas.some(({ workspace }) => workspace === slug));
  return (
    <Page title={texts.title}>
      <p class="about">{texts.about}</p>
      <Loading of={loaded} label={texts.loading} />
      {data !== null && shown.length === 0 && <EmptyList words={texts} />}
      {shown.map((workspace) => (
        <section key={workspace.slug} aria-label={workspace.name}>
          {workspaces.length > 1 && (
            <p class="hint" dir="auto">
              {workspace.name}
            </p>
          )}
          <Rotas workspace={workspace} />
        </section>
      ))}
      <IdentityDialog />
    </Page>
  );
}
