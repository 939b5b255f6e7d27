import type { OperationId } from '../contract/operations.ts';
import { forwardedRoutes } from './forwarding.ts';
import type { BareContext, Handler, OperationHandler, ResponseTo } from './request-state.ts';
import { alertRoutes } from './routes/alerts.ts';
import { managedDeviceRoutes } from './routes/dashboard/devices.ts';
import { managedEventRoutes } from './routes/dashboard/events.ts';
import { memberRoutes } from './routes/dashboard/members.ts';
import { statisticsRoutes } from './routes/dashboard/statistics.ts';
import { deviceRoutes } from './routes/devices.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { inboxRoutes } from './routes/inbox.ts';
import { maintenanceRoutes } from './routes/maintenance.ts';
import { oidcRoutes } from './routes/oidc.ts';
import { onCallRoutes } from './routes/on-call.ts';
import { openApiRoutes } from './routes/openapi.ts';
import { passkeyRoutes } from './routes/passkeys.ts';
import { reachRoutes } from './routes/reach.ts';
import { receiptRoutes } from './routes/receipts.ts';
import { sessionRoutes } from './routes/session.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { streamRoutes } from './routes/stream.ts';
import type { Service } from './service.ts';

/** All operations' handlers. A missing one does not compile. */
export type Handlers = { readonly [Id in OperationId]: OperationHandler<Id> } & {
  readonly postEvent: Handler<ResponseTo<'postEvent'>, BareContext>;
};

export function createHandlers(service: Service): Handlers {
  return {
    ...forwardedRoutes(service),
    ...eventRoutes(service),
    ...alertRoutes(service),
    ...inboxRoutes(service),
    ...reachRoutes(service),
    ...maintenanceRoutes(service),
    ...onCallRoutes(service),
    ...signInRoutes(service),
    ...sessionRoutes(service),
    ...oidcRoutes(service),
    ...passkeyRoutes(service),
    ...deviceRoutes(service),
    ...receiptRoutes(service),
    ...streamRoutes(service),
    ...memberRoutes(service),
    ...managedDeviceRoutes(service),
    ...managedEventRoutes(service),
    ...statisticsRoutes(service),
    ...openApiRoutes(service),
    ...healthRoutes(service),
  };
}
