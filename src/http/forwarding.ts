import { baseUrlOf } from '../config/config.ts';
import { API_ERRORS } from '../contract/errors.ts';
import { pingUrl } from '../contract/heartbeats.ts';
import type { Forward, Operation, OperationError } from '../contract/operations/operation.ts';
import { OPERATIONS, type OperationId } from '../contract/operations.ts';
import type { ActingStore } from '../store/acting.ts';
import type { CallName, Heartbeat } from '../store/calls.ts';
import { bodyReader } from './body/body-fields.ts';
import { type ForwardedId, PATH_ARGUMENTS } from './forwarded.ts';
import { queryReader } from './query.ts';
import type { Context, Handler, OperationHandler } from './request-state.ts';
import type { Service } from './service.ts';
import { unwrap } from './unwrap.ts';
import { webhookProblems } from './webhook-rules.ts';

type Declared = Operation & { readonly operationId: OperationId };
type Caller = { readonly store: ActingStore; readonly by: object };

/** The handlers of all operations that only forward to the store. */
export function forwardedRoutes(service: Service): { readonly [Id in ForwardedId]: OperationHandler<Id> } {
  const handlers = OPERATIONS.flatMap((operation) => {
    const { operationId, forwards } = operation;
    return forwards === undefined ? [] : [[operationId, forwarding(service, operation, forwards)]];
  });
  return Object.fromEntries(handlers);
}

function forwarding(service: Service, operation: Declared, forward: Forward): Handler {
  const { operationId, path, query, body } = operation;
  const readQuery = query && queryReader(operationId, operation.session === undefined ? 'key' : 'person');
  const readBody = body === undefined ? undefined : bodyReader(operationId, rulesOf(operationId, service));
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name as keyof typeof PATH_ARGUMENTS);
  const missing = operation.errors.findLast(isMissing) ?? 'not_signed_in';
  const [status = 500] = Object.keys(operation.answers).map(Number);
  const show = showerOf(operation, service);
  return async (context) => {
    const { store, by } = await callerOf(service, operation, context);
    const named = Object.fromEntries(parameters.map((name) => [PATH_ARGUMENTS[name], context.params[name]]));
    const args = { ...readQuery?.(context), ...(await readBody?.(context)), ...named, ...by };
    const answer: unknown = unwrap(await store[forward.call as CallName](args as never), missing);
    return status === 204 ? { status } : { status, body: shown(answer, forward.as, show) };
  };
}

/** Rules that no schema can express. */
function rulesOf(id: OperationId, { config }: Service) {
  return id === 'updateWebhook' ? (fields: object) => webhookProblems(fields, config) : undefined;
}

/** The last one names what the path ends with. */
function isMissing(error: OperationError): error is Exclude<OperationError, 'invalid_fields'> {
  return error !== 'invalid_fields' && API_ERRORS[error].status === 404;
}

async function callerOf(service: Service, { session, forwards }: Declared, context: Context): Promise<Caller> {
  if (session === 'managers') {
    const { store, workspaceId } = await service.manage(context);
    return { store, by: forwards?.caller === 'workspace' ? { workspaceId } : {} };
  }
  if (session === undefined) {
    const { store, reach } = await service.authorizeRead(context);
    return { store, by: reach };
  }
  const { store, user, tokenHash } = await service.authenticate(context);
  switch (forwards?.caller) {
    case 'email':
      return { store, by: { email: user.email } };
    case 'session':
      return { store, by: { userId: user.id, tokenHash } };
    default:
      return { store, by: { userId: user.id } };
  }
}

function shown(answer: unknown, as: string | undefined, show: Show): unknown {
  if (as === undefined) return answer;
  return Array.isArray(answer) ? { [as]: answer.map(show), next: null } : { [as]: show(answer) };
}

type Show = (thing: unknown) => unknown;

/** The store knows the UUID of a heartbeat, if the caller may see it, but not the address of this server. API keys get none. */
function showerOf({ session, forwards }: Declared, { config }: Service): Show {
  if (!forwards?.as?.startsWith('heartbeat')) return (thing) => thing;
  const baseUrl = baseUrlOf(config);
  return (thing) => {
    const { uuid, ...heartbeat } = thing as Heartbeat;
    return session === undefined || uuid === null ? heartbeat : { ...heartbeat, ping_url: pingUrl(baseUrl, uuid) };
  };
}
