/** What was just done, and the way back where there is one. */
export interface Done {
  readonly text: string;
  readonly undo?: () => unknown;
}

interface Props {
  readonly done: Done | null;
  readonly undoText: string;
}

/** Says it to screen readers as well, for which the place has to be there before the text. */
export function Notice({ done, undoText }: Props) {
  return (
    <div role="status">
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
    </div>
  );
}
