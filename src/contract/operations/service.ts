import { ANY_REQUEST, type Operation } from './operation.ts';

/** About the service itself. Nobody has to say who they are. */
export const SERVICE: readonly Operation[] = [
  {
    method: 'get',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This description',
    answers: { 200: { is: 'An OpenAPI 3.1 document.', schema: 'openapi' } },
    errors: ANY_REQUEST,
  },
  {
    method: 'get',
    path: '/healthz',
    operationId: 'getHealth',
    summary: 'Whether the process and its store thread answer',
    answers: { 200: { is: 'They do.', schema: 'health' } },
    errors: [...ANY_REQUEST, 'unavailable'],
    beside: true,
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'getReadiness',
    summary: 'Whether events can be stored, and are sent in time',
    answers: { 200: { is: 'They are.', schema: 'health' } },
    errors: [...ANY_REQUEST, 'unavailable'],
    beside: true,
  },
];
