import { Toast } from '../components/toast.tsx';

/** What was just done, and the way back where there is one. */
export interface Done {
  readonly text: string;
  readonly undo?: () => unknown;
}

interface Props {
  readonly done: Done | null;
  readonly undoText: string;
}

/** The last part of a page. */
export function Notice({ done, undoText }: Props) {
  return (
    <Toast>
      {done !== null && (
        <div class="note note-done">
          <p>{done.text}</p>
          {done.undo !== undefined && (
            <button type="button" onClick={() => void done.undo?.()}>
              {undoText}
            </button>
          )}
        </div>
      )}
    </Toast>
  );
}
