import type { Reply } from '../format.ts';

/** The codes of its errors: https://github.com/binwiederhier/ntfy/blob/main/server/errors.go */
export const CODES: Readonly<Record<number, number>> = {
  400: 40024,
  401: 40101,
  403: 40301,
  404: 40401,
  413: 41303,
  429: 42901,
  500: 50001,
};

export function errorOf(code: number, error: string, place = ''): object {
  return { code, http: Math.floor(code / 100), error, link: `https://docs.ntfy.sh/publish/${place}` };
}

/** Errors of ntfy's server for disabled or forbidden features. */
export const NO_SUBSCRIBING: Reply = { status: 403, reply: errorOf(40301, 'forbidden', '#authentication') };
export const NOT_FOUND: Reply = { status: 404, reply: errorOf(40401, 'page not found') };
export const NO_DELAY: Reply = {
  status: 400,
  reply: errorOf(40004, 'invalid delay parameter: unable to parse delay', '#scheduled-delivery'),
};
export const TOO_LATE: Reply = {
  status: 400,
  reply: errorOf(40006, 'invalid delay parameter: too large, please refer to the docs', '#scheduled-delivery'),
};
export const NO_TEMPLATES: Reply = {
  status: 400,
  reply: errorOf(
    40045,
    'invalid request: template execution failed, templates are not supported',
    '#message-templating',
  ),
};
export const NO_NAMED_TEMPLATES: Reply = {
  status: 400,
  reply: errorOf(
    40047,
    'invalid request: template file not found, templates are not supported',
    '#pre-defined-templates',
  ),
};
