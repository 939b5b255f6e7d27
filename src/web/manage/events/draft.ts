/** Texts that are not sent yet, in memory alone: they survive another page, and signing in again. */
const drafts = new Map<string, FormData>();

/** The draft of a person. */
export interface Draft {
  /** Returns the text that the field was left with; empty if nothing was written. */
  readonly field: (name: string) => string;
  readonly keep: (form: HTMLFormElement) => void;
  readonly discard: () => void;
}

/** `of`: names what the draft is for, and its workspace. */
export function draftOf(email: string, of: string): Draft {
  const key = `${email} ${of}`;
  return {
    field: (name) => String(drafts.get(key)?.get(name) ?? ''),
    keep: (form) => drafts.set(key, new FormData(form)),
    discard: () => drafts.delete(key),
  };
}
