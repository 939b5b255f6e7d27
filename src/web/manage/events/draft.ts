/** What is written and not sent yet, in memory alone: another page, or signing in again, does not lose it. */
const drafts = new Map<string, FormData>();

/** The draft of a person. */
export interface Draft {
  /** What the field was left with; empty where nothing was written. */
  readonly field: (name: string) => string;
  readonly keep: (form: HTMLFormElement) => void;
  readonly discard: () => void;
}

/** `of`: what it is of, in which workspace. */
export function draftOf(email: string, of: string): Draft {
  const key = `${email} ${of}`;
  return {
    field: (name) => String(drafts.get(key)?.get(name) ?? ''),
    keep: (form) => drafts.set(key, new FormData(form)),
    discard: () => drafts.delete(key),
  };
}
