import { BoundExceeded } from '../../process/bounded-request.ts';
import type { Outcome } from '../../push.ts';
import type { Fault } from '../outcomes/faults.ts';
import { outcomeOf, outcomeOfFault } from '../outcomes.ts';
import { APNS_OUTCOMES } from './outcomes.ts';
import type { ApnsFailure } from './session.ts';

const TOO_LONG = new BoundExceeded('EMSGSIZE').message;

/** Returns the outcome of Apple's answer, or of a missing answer, as node-apn reports it. */
export function apnsOutcome(failure: ApnsFailure | null): Outcome {
  if (failure === null) return { kind: 'accepted' };
  const said = failure.error instanceof Error ? failure.error.message : '';
  const { reason, timestamp } = failure.response ?? {};
  const status = typeof failure.status === 'number' ? failure.status : statusIn(said);
  if (status === null) return outcomeOfFault(faultIn(said));
  return outcomeOf(APNS_OUTCOMES, {
    status,
    reason: typeof reason === 'string' ? reason : reasonIn(said),
    ...(typeof timestamp === 'number' && { atMs: timestamp }),
  });
}

/** Two reasons are not in responses: 403 ExpiredProviderToken is in the error, 500 InternalServerError is replaced. */
function reasonIn(said: string): string | null {
  if (said.startsWith('Error 500')) return 'InternalServerError';
  return /^\w+$/.test(said) ? said : null;
}

/** The status of an answer without a body is only in the text of the error. */
function statusIn(said: string): number | null {
  const status = /with status (\d{3}) and empty body/.exec(said)?.[1];
  return status === undefined ? null : Number(status);
}

function faultIn(said: string): Fault {
  if (said.includes('apn write timeout')) return 'timeout';
  if (said.includes('REFUSED_STREAM')) return 'refused_stream';
  if (said.includes('pending stream has been canceled')) return 'connect_failed';
  if (said.includes('error processing APNs response') || said.includes(TOO_LONG)) return 'unreadable_answer';
  return 'connection_lost';
}
