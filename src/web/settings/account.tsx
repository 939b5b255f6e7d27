import { useState } from 'preact/hooks';
import { change } from '../api/ask.ts';
import type { Schema } from '../api/client.ts';
import { useChange } from '../api/use-change.ts';
import { Button } from '../components/button.tsx';
import { Command } from '../components/command.tsx';
import { ConfirmButton } from '../components/dialogs/dialog.tsx';
import { RenameDialog } from '../components/forms/form-dialog.tsx';
import { Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { QrCode } from '../components/qr-code.tsx';
import { msOf, times } from '../format/time.ts';
import { signOut } from '../push/this-device.ts';
import { session, usePerson, type Workspace } from '../session.ts';
import { settings as texts } from '../texts/account.ts';
import { common, waiting as waitingTexts } from '../texts/common.ts';

export function Account() {
  const { isWorking, problem, make } = useChange();
  const [isRenaming, setRenaming] = useState(false);
  const user = usePerson()?.user;
  return (
    <Section title={texts.account}>
      <ProblemNote problem={problem} />
      <div class="paper paper-row">
        <p>{user && texts.signedInAs(user.name, user.email)}</p>
        <div class="actions">
          {user && <Button text={texts.rename.open} onClick={() => setRenaming(true)} />}
          <Button text={common.actions.signOut} isWorking={isWorking} onClick={() => make(signOut)} />
        </div>
      </div>
      {isRenaming && user && (
        <RenameDialog
          title={texts.rename.open}
          label={texts.rename.name}
          hint={texts.rename.hint}
          action={texts.rename.save}
          name={user.name}
          call={(name) => change('patch', '/v1/session', { body: { name } })}
          onDone={() => {
            setRenaming(false);
            void session.check();
          }}
          onClose={() => setRenaming(false)}
        />
      )}
    </Section>
  );
}

/** Offers a link, QR code and pairing code for another device's sign-in. */
export function PairDevice() {
  const [pairing, setPairing] = useState<Schema<'Pairing'> | null>(null);
  const { isWorking, problem, make } = useChange();
  const pair = async (): Promise<void> => {
    const made = await make(() => change('post', '/v1/session/pairing', {}));
    if (made !== null) setPairing(made.data);
  };
  return (
    <Section title={texts.pair.title}>
      <div class="paper stack">
        <p>{texts.pair.text}</p>
        <ProblemNote problem={problem} />
        {pairing !== null && <Ways pairing={pairing} />}
        <Button text={pairing === null ? texts.pair.make : texts.pair.again} isWorking={isWorking} onClick={pair} />
      </div>
    </Section>
  );
}

function Ways({ pairing: { link, pairing_code, expires_at } }: { readonly pairing: Schema<'Pairing'> }) {
  return (
    <div class="ways" role="status">
      <QrCode text={link} label={texts.pair.qr} />
      <p>{texts.pair.scan}</p>
      <Command text={link} />
      <p>{texts.pair.type}</p>
      <Command text={pairing_code} />
      <p class="hint">
        {texts.pair.ends} <time dateTime={expires_at}>{times.clock(msOf(expires_at))}</time>.
      </p>
    </div>
  );
}

/** Makes and ends the address by which calendar programs read the person's shifts. It is shown once. */
export function Calendar() {
  const [url, setUrl] = useState<string | null>(null);
  const [hasEnded, setHasEnded] = useState(false);
  const { isWorking, problem, make } = useChange();
  const create = async (): Promise<void> => {
    const made = await make(() => change('post', '/v1/session/calendar', {}));
    if (made === null) return;
    setUrl(made.data.calendar.url);
    setHasEnded(false);
  };
  const end = async (): Promise<void> => {
    if ((await make(() => change('delete', '/v1/session/calendar', {}))) === null) return;
    setUrl(null);
    setHasEnded(true);
  };
  return (
    <Section title={texts.calendar.title}>
      <div class="paper stack">
        <p>{texts.calendar.text}</p>
        <ProblemNote problem={problem} />
        <div role="status">
          {url !== null && (
            <>
              <Command text={url} />
              <p class="hint">{texts.calendar.hint}</p>
            </>
          )}
          {hasEnded && <p>{texts.calendar.ended}</p>}
        </div>
        <div class="actions">
          <Button text={texts.calendar.make} isWorking={isWorking} onClick={create} />
          <Button text={texts.calendar.end} isWorking={isWorking} onClick={end} />
        </div>
      </div>
    </Section>
  );
}

export function Workspaces() {
  const { workspaces = [], waiting = [] } = usePerson() ?? {};
  return (
    <Section title={texts.workspaces.title}>
      <ul class="list">
        {workspaces.map((workspace) => (
          <WorkspaceRow key={workspace.slug} workspace={workspace} isLast={workspaces.length + waiting.length === 1} />
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

interface WorkspaceRowProps {
  readonly workspace: Workspace;
  readonly isLast: boolean;
}

function WorkspaceRow({ workspace: { slug, name, role, status, waiting_for }, isLast }: WorkspaceRowProps) {
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
