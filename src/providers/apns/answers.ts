import { BoundExceeded } from '../../process/bounded-request.ts';
import type { Outcome } from '../../push.ts';
import type { Fault } from '../outcomes/faults.ts';
import { outcomeOf, outcomeOfFault } from '../outcomes.ts';
import { APNS_OUTCOMES } from './outcomes.ts';
import type { ApnsFailure } from './session.ts';

const TOO_LONG = new BoundExceeded('EMSGSIZE').message;

export function apnsOutcome(failure: ApnsFailure | null): Outcome {
  if (failure === null) return { kind: 'accepted' };
  const message = failure.error instanceof Error ? failure.error.message : '';
  const { reason, timestamp } = failure.response ?? {};
  const status = typeof failure.status === 'number' ? failure.status : statusIn(message);
  if (status === null) return outcomeOfFault(faultIn(message));
  return outcomeOf(APNS_OUTCOMES, {
    status,
    reason: typeof reason === 'string' ? reason : reasonIn(message),
    ...(typeof timestamp === 'number' && { atMs: timestamp }),
  });
}

/** Two reasons are elsewhere: the error has 403 ExpiredProviderToken; 500 InternalServerError is replaced. */
function reasonIn(message: string): string | null {
  if (message.startsWith('Error 500')) return 'InternalServerError';
  return /^\w+$/.test(message) ? message : null;
}

/** Without a body, only the error's text has the status. */
function statusIn(message: string): number | null {
  const status = /with status (\d{3}) and empty body/.exec(message)?.[1];
  return status === undefined ? null : Number(status);
}

function faultIn(message: string): Fault {
  if (message.includes('apn write timeout')) return 'timeout';
  if (message.includes('REFUSED_STREAM')) return 'refused_stream';
  if (message.includes('pending stream has been canceled')) return 'connect_failed';
  if (message.includes('error processing APNs response') || message.includes(TOO_LONG)) return 'unreadable_answer';
  return 'connection_lost';
}
