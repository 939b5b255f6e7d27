import { change } from '../api/ask.ts';
import { ConfirmButton } from '../components/dialogs/dialog.tsx';
import { Section } from '../components/page.tsx';
import { session, usePerson, type Workspace } from '../session.ts';
import { settings as texts } from '../texts/account.ts';
import { waiting as waitingTexts } from '../texts/common.ts';

export function Workspaces() {
  const { workspaces = [], waiting = [] } = usePerson() ?? {};
  return (
    <Section title={texts.workspaces.title}>
      <ul class="list">
        {workspaces.map((workspace) => (
          <Row key={workspace.slug} workspace={workspace} isLast={workspaces.length + waiting.length === 1} />
        ))}
        {waiting.map(({ slug, name }) => (
          <li key={slug} class="row">
            <div>
              <p dir="auto">{name}</p>
              <p class="hint">{waitingTexts.state}</p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface RowProps {
  readonly workspace: Workspace;
  readonly isLast: boolean;
}

function Row({ workspace: { slug, name, role, status, waiting_for }, isLast }: RowProps) {
  const words = texts.workspaces;
  const leave = () => change('delete', '/v1/workspaces/{workspace}/members/me', { path: { workspace: slug } });
  return (
    <li class="row">
      <div>
        <p dir="auto">
          {role === 'member' ? (
            name
          ) : (
            <a class="link" href={`/w/${slug}`}>
              {name}
            </a>
          )}
        </p>
        <p class="hint">
          {words.roles[role]}
          {waiting_for !== null && `, ${waitingTexts.as(words.roles[waiting_for])}`}
          {status === 'suspended' && `, ${words.suspended}`}
        </p>
      </div>
      <ConfirmButton label={words.leave} question={words.question(name)} act={leave} reload={() => session.check()}>
        {isLast ? words.last : words.text}
      </ConfirmButton>
    </li>
  );
}
