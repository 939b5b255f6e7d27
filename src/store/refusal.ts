import type { ErrorDetail } from '../contract/details.ts';

/**
 * Why a call was rejected. `message`: what was wrong, in English, for any caller; `detail`: the same without words, and
 * the wrong field.
 * `hint`: an operator's remedy on the command line.
 */
export interface Refusal {
  readonly refused: 'not_found' | 'forbidden' | 'conflict' | 'invalid' | 'busy';
  readonly message: string;
  /** Absent if the store's socket itself rejects the call. Only the command line gets these refusals. */
  readonly detail?: ErrorDetail;
  readonly hint?: string;
  /** The API's error code, if not the only one of its kind. */
  readonly code?:
    | 'no_alert'
    | 'alert_lives'
    | 'not_reachable'
    | 'not_reopened'
    | 'nothing_to_undo'
    | 'provider_first'
    | 'missing_scope';
  /** The missing thing. Operators are shown a similar name. */
  readonly unknown?: Unknown;
}

export type Unknown =
  | { readonly of: 'workspace' | 'plan' | 'user' | 'device'; readonly name: string }
  | { readonly of: 'member' | 'rota'; readonly name: string; readonly workspaceId: number }
  /** `workspaceId` null: all. */
  | { readonly of: 'channel'; readonly name: string; readonly workspaceId: number | null };

export function isRefusal(answer: unknown): answer is Refusal {
  return typeof answer === 'object' && answer !== null && 'refused' in answer;
}
