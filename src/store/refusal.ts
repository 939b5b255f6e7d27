/**
 * Why a call was not carried out. `message` says to any caller what was wrong and where, `hint` to an operator what can
 * be done about it on the command line.
 */
export interface Refusal {
  readonly refused: 'not_found' | 'forbidden' | 'conflict' | 'invalid' | 'busy';
  readonly message: string;
  readonly hint?: string;
  /** Which field of the request is invalid, or names what is missing, in the names of the API. */
  readonly field?: string;
  /** The error of the API that it stands for, if that is not the only one of its kind. */
  readonly code?:
    | 'no_alert'
    | 'alert_lives'
    | 'not_reachable'
    | 'not_reopened'
    | 'nothing_to_undo'
    | 'provider_first'
    | 'missing_scope';
  /** The name that there is not. An operator is shown which one is near. */
  readonly unknown?: Unknown;
}

export type Unknown =
  | { readonly of: 'workspace' | 'plan' | 'user'; readonly name: string }
  | { readonly of: 'member'; readonly name: string; readonly workspaceId: number }
  /** `workspaceId` null: of all of them. */
  | { readonly of: 'channel'; readonly name: string; readonly workspaceId: number | null };

export function isRefusal(answer: unknown): answer is Refusal {
  return typeof answer === 'object' && answer !== null && 'refused' in answer;
}
