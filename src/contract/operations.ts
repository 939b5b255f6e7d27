import { APP } from './operations/app.ts';
import { DASHBOARD } from './operations/dashboard.ts';
import { HEARTBEATS } from './operations/heartbeats.ts';
import { INTEGRATORS } from './operations/integrators.ts';
import { MAINTENANCE } from './operations/maintenance.ts';
import { ON_CALL } from './operations/on-call.ts';
import type { Operation } from './operations/operation.ts';
import { SERVICE } from './operations/service.ts';
import { SESSION } from './operations/session.ts';
import { WEBHOOKS } from './operations/webhooks.ts';

export type DeclaredOperation =
  | (typeof INTEGRATORS)[number]
  | (typeof SESSION)[number]
  | (typeof APP)[number]
  | (typeof DASHBOARD)[number]
  | (typeof HEARTBEATS)[number]
  | (typeof MAINTENANCE)[number]
  | (typeof ON_CALL)[number]
  | (typeof WEBHOOKS)[number]
  | (typeof SERVICE)[number];
export type OperationId = DeclaredOperation['operationId'];

interface OperationGroup {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly (Operation & { readonly operationId: OperationId })[];
}

/** All operations, for the description and the router. Handlers are in http/routes/. */
export const GROUPS: readonly OperationGroup[] = [
  { name: 'Integration', description: 'For programs that send events, with an API key.', operations: INTEGRATORS },
  { name: 'Session', description: 'Signing in and out.', operations: SESSION },
  {
    name: 'App',
    description:
      'For people: their devices, subscriptions and inbox. docs/apps.md, which comes with the program, explains how to write an app.',
    operations: APP,
  },
  { name: 'Dashboard', description: 'For owners and admins of a workspace.', operations: DASHBOARD },
  {
    name: 'Heartbeats',
    description: 'Heartbeats expect regular pings from jobs and programs. docs/heartbeats.md explains how to use them.',
    operations: HEARTBEATS,
  },
  {
    name: 'Maintenance',
    description: 'While a maintenance window is on, its channel makes no sound. docs/loudness.md explains it.',
    operations: MAINTENANCE,
  },
  {
    name: 'On call',
    description: 'People take turns: a rota says who is on call. docs/on-call.md explains it.',
    operations: ON_CALL,
  },
  {
    name: 'Webhooks',
    description:
      'Webhooks get messages about alerts, heartbeats and events. docs/webhooks.md explains how to receive and verify them.',
    operations: WEBHOOKS,
  },
  { name: 'Service', description: 'About the service itself.', operations: SERVICE },
];

export const OPERATIONS = GROUPS.flatMap(({ operations }) => operations);

const BY_ID = Object.fromEntries(OPERATIONS.map((operation) => [operation.operationId, operation])) as Readonly<
  Record<OperationId, Operation>
>;

export function operationOf(id: OperationId): Operation {
  return BY_ID[id];
}
