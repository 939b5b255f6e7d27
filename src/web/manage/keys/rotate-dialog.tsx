import { useState } from 'preact/hooks';
import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { common } from '../../texts/common.ts';
import { keys as texts } from '../../texts/senders.ts';

interface Props {
  readonly workspace: string;
  readonly apiKey: Schema<'ApiKey'>;
  readonly onIssued: (issued: Schema<'IssuedKey'>) => void;
  readonly onClose: () => void;
}

/** Rotates a key. After a conflict (already rotated), offers to repeat. */
export function RotateDialog({ workspace, apiKey: { id, name }, onIssued, onClose }: Props) {
  const { problem, isWorking, make } = useChange();
  const [again, setAgain] = useState(false);
  const rotate = async (): Promise<void> => {
    const input = { path: { workspace, key: id }, body: { again } };
    const issued = await make(() => change('post', '/v1/workspaces/{workspace}/keys/{key}/rotate', input));
    if (issued !== null) onIssued(issued.data);
  };
  return (
    <Dialog title={texts.rotateTitle(name)} onClose={onClose}>
      <p class="dialog-text">{texts.rotateText}</p>
      <ProblemNote problem={problem} />
      {(problem?.kind === 'refused' || again) && (
        <label class="check">
          <input type="checkbox" checked={again} onChange={() => setAgain(!again)} />
          {texts.rotateAgain}
        </label>
      )}
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>
          {common.actions.cancel}
        </button>
        <button type="button" class="primary" aria-disabled={isWorking} onClick={() => void rotate()}>
          {texts.rotate}
        </button>
      </div>
    </Dialog>
  );
}
