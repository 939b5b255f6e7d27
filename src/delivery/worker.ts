import { parentPort, threadId, workerData } from 'node:worker_threads';
import { systemClock } from '../process/clock.ts';
import { type ErrorTrace, withoutWords } from '../process/problem.ts';
import { collectGarbageOfStart } from '../process/threads.ts';
import { createClient, loadClients } from '../providers/clients.ts';
import type { OnEarly, OnError, PushClient, SendLimits } from '../providers/provider.ts';
import { allAs } from '../providers/sending.ts';
import { ThreadTokens } from '../providers/signing/token-desk.ts';
import { TokenKeeper } from '../providers/signing/tokens.ts';
import type { ProviderSettings } from '../providers/table.ts';
import type { Batch, Route, Sent } from '../push.ts';

const REPORT_MS = 500;

export interface WorkerData {
  readonly settings: ProviderSettings;
  /** Replaces some of the providers' own limits. */
  readonly limits: Partial<SendLimits>;
  /** Name of the channel of the main thread's signed tokens; absent: the thread signs its own. */
  readonly desk?: string;
}

export type FromThread = ThreadConnections | EarlyAnswers | ThreadError;

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
interface ThreadConnections {
  readonly threadId: number;
  /** Open connections to the provider, all lanes together. */
  readonly connections: ByRoute;
}
export type ByRoute = Readonly<Partial<Record<Route, number>>>;

const data = (workerData as WorkerData | null) ?? { settings: {}, limits: {} };
const sender = createSender(data, {
  onEarly: (batchId, answers) => parentPort?.postMessage({ batchId, answers } satisfies EarlyAnswers),
  onError: (error) => parentPort?.postMessage({ error: withoutWords(error) } satisfies ThreadError),
});

/** Sends a batch. Never throws, as errors lose details on the way to the pool. */
export default sender.send;

if (parentPort) {
  reportConnections(sender, parentPort);
  await loadClients(data.settings);
  collectGarbageOfStart();
}

/** Proves to the pool that the thread has started. */
export function selfTest(): 'ready' {
  return 'ready';
}

interface Sender {
  send(batch: Batch): Promise<readonly Sent[]>;
  connections(): ByRoute;
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

/** Reports by itself, as Piscina cannot ask one thread. */
function reportConnections(sender: Sender, port: NonNullable<typeof parentPort>): void {
  let shown = '';
  const report = () => {
    const connections = sender.connections();
    if (JSON.stringify(connections) === shown) return;
    shown = JSON.stringify(connections);
    port.postMessage({ threadId, connections } satisfies ThreadConnections);
  };
  setInterval(report, REPORT_MS).unref();
}
