import type { ErrorDetail } from '../contract/details.ts';

/**
 * Why a call was rejected. `message`: what was wrong, in English, for any caller; `detail`: the same without words.
 * `hint`: an operator's remedy on the command line.
 */
export interface Refusal {
  readonly refused: 'not_found' | 'forbidden' | 'conflict' | 'invalid' | 'busy';
  readonly message: string;
  /** Absent: only for the command line. */
  readonly detail?: ErrorDetail;
  readonly hint?: string;
  /** The invalid field, or the missing thing, in the API's names. */
  readonly field?: string;
  /** The API's error code, if not the only one of its kind. */
  readonly code?:
    | 'no_alert'
    | 'alert_lives'
    | 'not_reachable'
    | 'not_reopened'
    | 'nothing_to_undo'
    | 'provider_first'
    | 'missing_scope';
  /** The missing name. Operators are shown a similar one. */
  readonly unknown?: Unknown;
}

export type Unknown =
  | { readonly of: 'workspace' | 'plan' | 'user'; readonly name: string }
  | { readonly of: 'member' | 'rota'; readonly name: string; readonly workspaceId: number }
  /** `workspaceId` null: all. */
  | { readonly of: 'channel'; readonly name: string; readonly workspaceId: number | null };

export function isRefusal(answer: unknown): answer is Refusal {
  return typeof answer === 'object' && answer !== null && 'refused' in answer;
}
