import type { Metadata } from '../call.ts';
import { CALLS } from '../calls.ts';
import type { CallRequest } from './reply.ts';

/** Questions beyond this many are refused. */
const MAX_WAITING = 50;
/** The limit for one workspace, since the questions of others queue behind them. */
const MAX_WAITING_EACH = 10;

/** Whether it may take seconds over a large database. */
export function isLongRead({ name, args }: CallRequest): boolean {
  const offThread = CALLS[name].offThread as Metadata<unknown, unknown>['offThread'];
  return typeof offThread === 'function' ? offThread(args) : offThread === true;
}

/** Whether so many wait already that this one is refused. */
export function isFullFor(call: CallRequest, waiting: readonly CallRequest[]): boolean {
  const workspace = workspaceOf(call);
  const ofIt = waiting.filter((other) => workspaceOf(other) === workspace).length;
  return waiting.length >= MAX_WAITING || (workspace !== undefined && ofIt >= MAX_WAITING_EACH);
}

/** Undefined: it is about none in particular. */
function workspaceOf({ args }: CallRequest): string | undefined {
  return (args as { readonly workspace?: string }).workspace;
}
