/** The fake providers, in a process of their own. They count pushes and note when they came, and keep none. */
import { type Sandbox, startSandbox } from '../../support/sandbox/start.ts';
import { serveHandlers, sharedMs } from './handlers.ts';

/** The settings that clients of the sandbox need. */
export type SandboxAccess = Pick<Sandbox, 'apns' | 'caPem' | 'apnsKey' | 'topic'>;

export interface Arrivals {
  readonly firstMs: number;
  readonly secondMs: number;
  readonly lastMs: number;
}

const sandbox = await startSandbox({ record: 'count', acceptUnknownTokens: true });
const arrivedMs = new Map<string, number>();
let marked = { count: 0, firstMs: 0, secondMs: 0, lastMs: 0 };
/** The arrivals that a caller waits for. */
const checks = new Set<() => void>();

sandbox.onPush(({ payload }) => {
  const nowMs = sharedMs();
  if (marked.count === 0) marked.firstMs = nowMs;
  if (marked.count === 1) marked.secondMs = nowMs;
  marked.count += 1;
  marked.lastMs = nowMs;
  const publicId = String(payload.event_id);
  if (!arrivedMs.has(publicId)) arrivedMs.set(publicId, nowMs);
  for (const check of checks) check();
});

const handlers = {
  access(): SandboxAccess {
    const { apns, caPem, apnsKey, topic } = sandbox;
    return { apns, caPem, apnsKey, topic };
  },
  writeCredentials: (folder: string) => sandbox.writeCredentials(folder),
  /** Every push is answered so many ms after it came, from now on. */
  answerAfter(ms: number) {
    sandbox.behaveWell();
    if (ms > 0) sandbox.behave({ match: {}, answer: { kind: 'accept', afterMs: ms } });
  },
  /** The provider that takes Apple's pushes refuses connections, or accepts them again. */
  apnsOutage: (outage: 'refused' | 'none') => sandbox.setOutage('apns_production', outage),
  /** Counting starts afresh. */
  mark() {
    marked = { count: 0, firstMs: 0, secondMs: 0, lastMs: 0 };
    arrivedMs.clear();
  },
  counted: () => marked.count,
  /** Resolves once so many pushes have come since the mark; times by the shared clock. */
  async reach(count: number): Promise<Arrivals> {
    await until(() => marked.count >= count);
    return marked;
  },
  /** When the first push of each event since the mark came, by the shared clock. */
  arrivals: (): ReadonlyMap<string, number> => arrivedMs,
  /** When the event's first push came, by the shared clock; waits for it. */
  async arrival(publicId: string): Promise<number> {
    await until(() => arrivedMs.has(publicId));
    return arrivedMs.get(publicId) ?? 0;
  },
};
export type SandboxHandlers = typeof handlers;
serveHandlers(handlers);

function until(fact: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!fact()) return;
      checks.delete(check);
      resolve();
    };
    checks.add(check);
    check();
  });
}
