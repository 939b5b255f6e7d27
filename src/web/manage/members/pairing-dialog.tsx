import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { Command } from '../../components/command.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { msOf, times } from '../../format/time.ts';
import { members as texts } from '../../texts/members.ts';

interface Props {
  readonly workspace: string;
  readonly member: Pick<Schema<'Member'>, 'email' | 'name'>;
  /** An existing link; null: a new one. */
  readonly made: Schema<'Pairing'> | null;
  readonly onClose: () => void;
}

/** Makes a link on opening: it signs in once, or adds rights to a session. */
export function PairingDialog({ workspace, member: { email, name }, made, onClose }: Props) {
  const path = { workspace, email };
  const { data, problem, reload } = useLoad(email, () =>
    made !== null
      ? Promise.resolve({ ok: true as const, data: made })
      : change('post', '/v1/workspaces/{workspace}/members/{email}/pairing', { path }),
  );
  return (
    <Dialog title={texts.linkTitle(name)} onClose={onClose} wide done={texts.linkDone}>
      <ProblemNote problem={problem} retry={reload} />
      {data === null && problem === null && <Skeleton label={texts.link} rows={1} />}
      {data !== null && <Ways pairing={data} />}
    </Dialog>
  );
}

function Ways({ pairing: { link, pairing_code, expires_at } }: { readonly pairing: Schema<'Pairing'> }) {
  return (
    <>
      <p class="dialog-text">
        {texts.linkText} {texts.linkEnds}{' '}
        <time dateTime={expires_at} title={times.exact(msOf(expires_at))}>
          {times.clock(msOf(expires_at))}
        </time>
        .
      </p>
      <QrCode text={link} label={texts.qr} />
      <h3 class="dialog-group">{texts.link}</h3>
      <Command text={link} />
      <h3 class="dialog-group">{texts.code}</h3>
      <Command text={pairing_code} />
      <p class="hint">{texts.codeText}</p>
    </>
  );
}
