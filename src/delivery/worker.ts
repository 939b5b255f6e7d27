import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../process/clock.ts';
import { type ErrorTrace, withoutWords } from '../process/problem.ts';
import { collectGarbageOfStart, collectorAfterLoad } from '../process/threads.ts';
import { createClient, loadClients } from '../providers/clients.ts';
import type { OnEarly, OnError, PushClient, SendLimits } from '../providers/provider.ts';
import { allAs } from '../providers/sending.ts';
import { ThreadTokens } from '../providers/signing/token-desk.ts';
import { TokenKeeper } from '../providers/signing/tokens.ts';
import type { ProviderSettings } from '../providers/table.ts';
import type { Batch, Route, Sent } from '../push.ts';
import type { Load } from './width.ts';

const REPORT_MS = 500;
/** A minute: what the last fan-out left behind is freed then. */
const IDLE_REPORTS = 120;

export interface WorkerData {
  readonly settings: ProviderSettings;
  /** Replaces some of the providers' own limits. */
  readonly limits: Partial<SendLimits>;
  /** Name of the channel of the main thread's signed tokens; absent: the thread signs its own. */
  readonly desk?: string;
}

export type FromThread = ThreadState | EarlyAnswers | ThreadError;

/** The first outcomes of a batch in which some targets take longer. */
interface EarlyAnswers {
  readonly batchId: string;
  readonly answers: readonly Sent[];
}

/** A bug, or a library that cannot be loaded. */
interface ThreadError {
  readonly error: ErrorTrace;
}

/** Sent whenever it has changed. */
export interface ThreadState {
  /** Open connections to the provider, all lanes together. */
  readonly connections: ByRoute;
  readonly load: Load;
}
type ByRoute = Readonly<Partial<Record<Route, number>>>;

const data = (workerData as WorkerData | null) ?? { settings: {}, limits: {} };
const sender = createSender(data, {
  onEarly: (batchId, answers) => parentPort?.postMessage({ batchId, answers } satisfies EarlyAnswers),
  onError: (error) => parentPort?.postMessage({ error: withoutWords(error) } satisfies ThreadError),
});

/** Sends a batch. Never throws, as errors lose details on the way to the pool. */
export default sender.send;

if (parentPort) {
  reportState(sender, parentPort);
  await loadClients(data.settings);
  collectGarbageOfStart();
}

/** Proves to the pool that the thread has started. */
export function selfTest(): 'ready' {
  return 'ready';
}

/** Closes the connections before the thread ends. No batch may be in flight. */
export function close(): Promise<void> {
  return sender.close();
}

interface Sender {
  send(batch: Batch): Promise<readonly Sent[]>;
  connections(): ByRoute;
  fill(): number;
  close(): Promise<void>;
}

interface Listeners {
  onEarly(batchId: string, answers: Parameters<OnEarly>[0]): void;
  readonly onError: OnError;
}

/**
 * Keeps a thread's clients, opened on demand. Lanes have separate connections: urgent pushes never wait behind a
 * fan-out.
 */
export function createSender(
  { settings, limits, desk }: WorkerData,
  { onEarly, onError }: Listeners,
  create: typeof createClient = createClient,
): Sender {
  const clock = systemClock();
  const tokens = desk === undefined ? new TokenKeeper(clock) : new ThreadTokens(desk, clock);
  const clients = new Map<string, PushClient>();
  const opening = new Map<string, Promise<PushClient | null>>();

  return {
    async send(batch) {
      try {
        const client = clients.get(nameOf(batch)) ?? (await open(batch));
        if (client === null) return allAs(batch, 'provider_off');
        return await client.send(batch, (answers) => onEarly(batch.id, answers), onError);
      } catch (error) {
        onError(error);
        return allAs(batch, 'internal_error');
      }
    },
    connections() {
      const counts: Partial<Record<Route, number>> = {};
      for (const client of clients.values()) {
        counts[client.route] = (counts[client.route] ?? 0) + client.connections();
      }
      return counts;
    },
    fill: () => Math.max(0, ...[...clients.values()].map((client) => client.fill())),
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };

  /** Shares the client with batches that arrive meanwhile. */
  function open(batch: Batch): Promise<PushClient | null> {
    const name = nameOf(batch);
    const known = opening.get(name);
    if (known) return known;
    const created = create(batch.route, settings, limits, clock, tokens)
      .then((client) => {
        if (client !== null) clients.set(name, client);
        return client;
      })
      .finally(() => opening.delete(name));
    opening.set(name, created);
    return created;
  }
}

function nameOf({ route, lane }: Batch): string {
  return `${route} ${lane}`;
}

/** Reports by itself, as a task would have to wait if the thread is saturated. */
function reportState(sender: Sender, port: NonNullable<typeof parentPort>): void {
  let shown = '';
  let used = usage();
  const collectIfIdle = collectorAfterLoad(IDLE_REPORTS);
  const report = () => {
    const before = used;
    used = usage();
    const share = (name: 'cpu' | 'busy') => inSteps((used[name] - before[name]) / (used.atMs - before.atMs));
    const state: ThreadState = {
      connections: sender.connections(),
      load: { cpu: share('cpu'), busy: share('busy'), fill: inSteps(sender.fill(), Math.ceil) },
    };
    collectIfIdle(state.load.busy > 0);
    if (JSON.stringify(state) === shown) return;
    shown = JSON.stringify(state);
    port.postMessage(state satisfies FromThread);
  };
  setInterval(report, REPORT_MS).unref();
}

/** Returns the ms that the thread has used. Node 22 does not know the CPU time of a thread. */
function usage(): Pick<Load, 'cpu' | 'busy'> & { readonly atMs: number } {
  const busy = performance.eventLoopUtilization().active;
  const cpu = process.threadCpuUsage?.();
  return { busy, cpu: cpu ? (cpu.user + cpu.system) / 1_000 : busy, atMs: performance.now() };
}

/** Rounds to twentieths, so that a steady load is reported once. */
function inSteps(share: number, round = Math.round): number {
  return round(20 * share) / 20;
}
