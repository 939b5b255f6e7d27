import { HEADERS } from '../openapi/headers.ts';
import { ANY_REQUEST, type Operation, type Parameter } from './operation.ts';

const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: "`ETag` of the client's copy.",
  schema: { type: 'string' },
  example: HEADERS.ETag.example,
};

/** About the service itself. No authentication. */
export const SERVICE = [
  {
    method: 'get',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'Get this description',
    description: 'For code generators and validators. Compressed with gzip if the request accepts it.',
    parameters: [IF_NONE_MATCH],
    answers: {
      200: { is: 'An OpenAPI 3.1 document.', schema: 'openapi', headers: ['ETag', 'Vary', 'Content-Encoding'] },
      304: { is: "The client's copy is current.", headers: ['ETag', 'Vary'] },
    },
    errors: ANY_REQUEST,
  },
  {
    method: 'get',
    path: '/healthz',
    operationId: 'getHealth',
    summary: 'Check that the server responds',
    description:
      'For orchestrators that restart a hanging server. Checks the process and its store thread. With `deliveries`, it also checks that pushes are sent. It fails if pushes are due on an open route, and none was accepted, refused or deferred for a minute.',
    query: { schema: 'health-query', reads: ['deliveries'] },
    answers: { 200: { is: 'The server responds.', schema: 'health' } },
    errors: [...ANY_REQUEST, 'unavailable'],
    isOutsideBase: true,
    always: true,
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'getReadiness',
    summary: 'Check that the server accepts events',
    description:
      'For load balancers. A long queue, or an unavailable provider, does not matter: the server still accepts events.',
    answers: { 200: { is: 'The server accepts events.', schema: 'health', example: { status: 'ready' } } },
    errors: [...ANY_REQUEST, 'unavailable'],
    isOutsideBase: true,
    always: true,
  },
] as const satisfies readonly Operation[];
