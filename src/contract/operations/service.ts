import { HEADERS } from '../openapi/headers.ts';
import { ANY_REQUEST, type Operation, type Parameter } from './operation.ts';

const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: '`ETag` of the document that the client has.',
  schema: { type: 'string' },
  example: HEADERS.ETag.example,
};

/** About the service itself. No authentication. */
export const SERVICE = [
  {
    method: 'get',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This description',
    description: 'Made for code generators and validators, too. Compressed by gzip where the request accepts that.',
    parameters: [IF_NONE_MATCH],
    answers: {
      200: { is: 'An OpenAPI 3.1 document.', schema: 'openapi', headers: ['ETag', 'Vary', 'Content-Encoding'] },
      304: { is: 'It is still the one that the client has.', headers: ['ETag', 'Vary'] },
    },
    errors: ANY_REQUEST,
  },
  {
    method: 'get',
    path: '/healthz',
    operationId: 'getHealth',
    summary: 'Whether the process and its store thread answer',
    description:
      'For an orchestrator that restarts what hangs. With `deliveries` also whether what is due is sent: not so where pushes are due on an open route and none was accepted, refused or deferred for a minute.',
    query: { schema: 'health-query', reads: ['deliveries'] },
    answers: { 200: { is: 'They do.', schema: 'health' } },
    errors: [...ANY_REQUEST, 'unavailable'],
    beside: true,
    always: true,
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'getReadiness',
    summary: 'Whether this server can take events now',
    description: 'For load balancers. A queue that is long, or waits for a provider, is no reason to refuse events.',
    answers: { 200: { is: 'It can.', schema: 'health', example: { status: 'ready' } } },
    errors: [...ANY_REQUEST, 'unavailable'],
    beside: true,
    always: true,
  },
] as const satisfies readonly Operation[];
