import { errorResponse } from '../../errors.ts';

/** An SMTP answer other than 250; smtp-server sends code and message. */
export class SmtpRefusal extends Error {
  readonly responseCode: number;
  constructor(responseCode: number, message: string) {
    super(message);
    this.name = 'SmtpRefusal';
    this.responseCode = responseCode;
  }
}

/** A misplaced key is the recipient's error (RFC 4954, section 6). */
export type SmtpStep = 'auth' | 'recipient' | 'mail';

/** Returns the SMTP reply for an HTTP error: 4xx to retry (for days), 5xx not to. */
export function refusalOf(error: unknown, step: SmtpStep): SmtpRefusal {
  if (error instanceof SmtpRefusal) return error;
  const { status, body } = errorResponse(error);
  const { message } = body as { readonly message: string };
  return new SmtpRefusal(codeOf(status, step), message);
}

function codeOf(status: number, step: SmtpStep): number {
  switch (status) {
    case 401:
    case 403:
      return step === 'auth' ? 535 : 550;
    case 404:
      return 550;
    case 413:
      return 552;
    case 429:
      // Minutes and months pass: a temporary error.
      return step === 'auth' ? 454 : 452;
    default:
      return status >= 500 ? 451 : 554;
  }
}
