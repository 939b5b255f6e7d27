import { useState } from 'preact/hooks';
import { change } from '../api/ask.ts';
import { RenameDialog } from '../components/forms/form-dialog.tsx';
import { session, type Workspace } from '../session.ts';
import { overview as texts } from '../texts/workspace.ts';

/** Lets owners rename the workspace, not its slug. */
export function Rename({ workspace: { slug, name } }: { readonly workspace: Workspace }) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {texts.rename.open}
      </button>
      {isOpen && (
        <RenameDialog
          title={texts.rename.title(name)}
          label={texts.rename.name}
          hint={texts.rename.hint(slug)}
          action={texts.rename.open}
          name={name}
          call={(given) =>
            change('patch', '/v1/workspaces/{workspace}', { path: { workspace: slug }, body: { name: given } })
          }
          onDone={() => {
            close();
            void session.check();
          }}
          onClose={close}
        />
      )}
    </>
  );
}
