/**
 * How the sandbox answers one request. Everything but `accept` happens on the wire as it would in the field.
 *
 * - `accept`: success, after `afterMs` if given.
 * - `refuse`: the vendor's error body for `reason` (an APNs reason or an FCM error code), with its usual status.
 * - `reset`: RST_STREAM over HTTP/2, a TCP reset over HTTP/1.1.
 * - `silent`: the request is read and never answered.
 * - `hang_up`: the connection is closed without an answer.
 * - `cut`: accepted, but the connection breaks in the middle of the answer.
 * - `drip`: accepted, and the answer comes byte by byte, `everyMs` apart.
 * - `endless`: accepted, but the answer has no end.
 * - `bomb`: accepted, and the answer is 50 kB that inflate to 50 MB.
 * - `garbage`, `empty`, `html`: 500 with bytes that are no JSON, 500 without a body, 502 with a proxy's HTML page.
 * - `goaway`: accepted, and the connection is closed in an orderly way: GOAWAY (`twice`: first with the last stream ID
 *   2^31-1, then with the real one, as RFC 9113 6.8 has it), or `Connection: close` over HTTP/1.1.
 * - `alternate`: the answers in turn, again and again, for each token on its own.
 */
export type SandboxAnswer =
  | { readonly kind: 'accept'; readonly afterMs?: number }
  | { readonly kind: 'refuse'; readonly reason: string; readonly status?: number; readonly retryAfterS?: number }
  | { readonly kind: 'reset' | 'silent' | 'hang_up' | 'cut' | 'endless' | 'bomb' | 'garbage' | 'empty' | 'html' }
  | { readonly kind: 'drip'; readonly everyMs: number }
  | { readonly kind: 'goaway'; readonly twice: boolean }
  | { readonly kind: 'alternate'; readonly answers: readonly [SingleAnswer, ...SingleAnswer[]] };

export type SingleAnswer = Exclude<SandboxAnswer, { kind: 'alternate' }>;

/**
 * One device's way to answer, by name, and the number that stands for it in a token. Append only: tokens live on disks.
 */
export const BEHAVIOURS = [
  'accept',
  'slow', // parameter: milliseconds
  'unregistered',
  'expired',
  'bad_token',
  'foreign', // a token of another app (APNs) or project (FCM)
  'too_many', // parameter: Retry-After in seconds, 0: none
  'internal_error',
  'unavailable', // parameter: Retry-After in seconds, 0: none
  'shutdown',
  'reset',
  'silent',
  'hang_up',
  'cut',
  'drip', // parameter: milliseconds between bytes
  'garbage',
  'empty',
  'html',
  'goaway',
  'goaway_twice',
  'flapping', // 503 and acceptance in turn
  'endless',
  'bomb',
] as const;
export type BehaviourName = (typeof BEHAVIOURS)[number];

export function numberOf(name: BehaviourName): number {
  return BEHAVIOURS.indexOf(name);
}

export function behaviourAt(number: number): BehaviourName | null {
  return BEHAVIOURS[number] ?? null;
}

/** The word with which a provider refuses by each of these behaviours. */
export type BehaviourReasons = Readonly<
  Record<
    'unregistered' | 'expired' | 'bad_token' | 'foreign' | 'too_many' | 'internal_error' | 'unavailable' | 'shutdown',
    string
  >
>;

/** What a behaviour means at the provider with these reasons. */
export function answerOf(name: BehaviourName, parameter: number, reasons: BehaviourReasons): SandboxAnswer {
  const refuse = (behaviour: keyof BehaviourReasons, retryAfterS = 0): SingleAnswer => ({
    kind: 'refuse',
    reason: reasons[behaviour],
    ...(retryAfterS > 0 && { retryAfterS }),
  });
  switch (name) {
    case 'accept':
      return { kind: 'accept' };
    case 'slow':
      return { kind: 'accept', afterMs: parameter };
    case 'unregistered':
    case 'expired':
    case 'bad_token':
    case 'foreign':
    case 'internal_error':
    case 'shutdown':
      return refuse(name);
    case 'too_many':
    case 'unavailable':
      return refuse(name, parameter);
    case 'drip':
      return { kind: 'drip', everyMs: parameter };
    case 'goaway':
      return { kind: 'goaway', twice: false };
    case 'goaway_twice':
      return { kind: 'goaway', twice: true };
    case 'flapping':
      return { kind: 'alternate', answers: [refuse('unavailable'), { kind: 'accept' }] };
    default:
      return { kind: name };
  }
}
