import { APP } from './operations/app.ts';
import { DASHBOARD } from './operations/dashboard.ts';
import { INTEGRATORS } from './operations/integrators.ts';
import type { Operation } from './operations/operation.ts';
import { SERVICE } from './operations/service.ts';
import { SESSION } from './operations/session.ts';

/** Every operation. Each has a line in http/app.ts, too. */
export const OPERATIONS: readonly Operation[] = [...INTEGRATORS, ...SESSION, ...APP, ...DASHBOARD, ...SERVICE];
