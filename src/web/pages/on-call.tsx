import { ask } from '../api/ask.ts';
import { useLoad } from '../api/use-load.ts';
import { IdentityDialog } from '../components/dialogs/identity-dialog.tsx';
import { Page } from '../components/page.tsx';
import { usePerson, type Workspace } from '../session.ts';
import '../manage/manage.css';
import { useState } from 'preact/hooks';
import type { Schema } from '../api/client.ts';
import type { Answer } from '../api/problem.ts';
import { Button } from '../components/button.tsx';
import { Loading } from '../components/loading.tsx';
import { Notice, useDone } from '../components/toast.tsx';
import { EmptyList } from '../manage/list.tsx';
import { RotaCard } from '../on-call/rota-card.tsx';
import { RotaForm } from '../on-call/rota-form.tsx';
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

/** Shows a workspace's rotas, at most 50. Owners and admins add and change them. */
export function Rotas({ workspace }: { readonly workspace: Workspace }) {
  const { slug, role } = workspace;
  const loaded = useLoad(slug, () => loadRotas(slug), ['on_call']);
  const { data, reload } = loaded;
  const [isAdding, setIsAdding] = useState(false);
  const [done, finish] = useDone(reload);
  const say = (text: string): void => finish({ text });
  const rotas = data ?? [];
  return (
    <>
      <Loading of={loaded} label={texts.loading} />
      {data !== null && rotas.length === 0 && <EmptyList words={texts} />}
      {rotas.map(({ rota, shifts }) => (
        <RotaCard key={rota.slug} {...{ workspace, rota, shifts, say }} />
      ))}
      {data !== null && role !== 'member' && (
        <div class="end">
          <Button text={texts.add} class="primary" onClick={() => setIsAdding(true)} />
        </div>
      )}
      {isAdding && (
        <RotaForm
          workspace={slug}
          rota={null}
          onDone={(added) => {
            setIsAdding(false);
            say(texts.wasAdded(added.name));
          }}
          onClose={() => setIsAdding(false)}
        />
      )}
      <Notice done={done} />
    </>
  );
}

interface WithShifts {
  readonly rota: Schema<'Rota'>;
  readonly shifts: readonly Schema<'OnCallShift'>[];
}

/** Loads the rotas with their shifts, so that they come together and nothing moves. */
async function loadRotas(workspace: string): Promise<Answer<readonly WithShifts[]>> {
  const listed = await ask('get', '/v1/workspaces/{workspace}/rotas', { path: { workspace } });
  if (!listed.ok) return listed;
  const { rotas } = listed.data;
  const address = '/v1/workspaces/{workspace}/rotas/{rota}/shifts';
  const answers = await Promise.all(
    rotas.map(({ slug }) => ask('get', address, { path: { workspace, rota: slug }, query: {} })),
  );
  const failed = answers.find(({ ok }) => !ok);
  if (failed !== undefined && !failed.ok) return failed;
  return {
    ok: true,
    data: rotas.map((rota, place) => {
      const answer = answers[place];
      return { rota, shifts: answer?.ok ? answer.data.shifts : [] };
    }),
  };
}
