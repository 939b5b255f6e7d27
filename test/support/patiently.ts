import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailable } from '../../src/store/calls.ts';
import { DEADLINE_MS } from './until.ts';

const AGAIN_MS = 50;

/** Calls again where the store was too busy to do it, as clients do after a 503: on a busy machine hundreds wait for one lock. */
export async function patiently<T>(call: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + DEADLINE_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || performance.now() > untilMs) throw error;
      await pause(AGAIN_MS);
    }
  }
}
