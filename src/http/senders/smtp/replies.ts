import { errorResponse } from '../../errors.ts';

/** An answer to an SMTP client other than 250: smtp-server sends its code and message. */
export class SmtpRefusal extends Error {
  readonly responseCode: number;
  constructor(responseCode: number, message: string) {
    super(message);
    this.name = 'SmtpRefusal';
    this.responseCode = responseCode;
  }
}

/** RFC 4954, section 6: what is said of a key that stands elsewhere than in AUTH is said of the recipient. */
export type SmtpStep = 'auth' | 'recipient' | 'mail';

/**
 * The reply that means to a mail client what the error means over HTTP: 4xx where it shall try again, as mail servers do for
 * days, 5xx where it need not.
 */
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
      // Spent by the minute or the month: there will be more.
      return step === 'auth' ? 454 : 452;
    default:
      return status >= 500 ? 451 : 554;
  }
}
