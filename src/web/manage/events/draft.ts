/** Unsent texts, in memory only, across navigation and new sign-ins. */
const drafts = new Map<string, FormData>();

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
