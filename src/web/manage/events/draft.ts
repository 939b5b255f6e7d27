/** Unsent texts, in memory only: they survive navigation and a new sign-in. */
const drafts = new Map<string, FormData>();

/** The draft of a person. */
export interface Draft {
  /** Returns the field's last text, or empty. */
  readonly field: (name: string) => string;
  readonly keep: (form: HTMLFormElement) => void;
  readonly discard: () => void;
}

/** `of`: the draft's purpose and workspace. */
export function draftOf(email: string, of: string): Draft {
  const key = `${email} ${of}`;
  return {
    field: (name) => String(drafts.get(key)?.get(name) ?? ''),
    keep: (form) => drafts.set(key, new FormData(form)),
    discard: () => drafts.delete(key),
  };
}
