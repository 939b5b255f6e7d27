import { randomUUID } from 'node:crypto';
import { type OnTrouble, reportsOf } from '../../upkeep.ts';
import { answered, type Backend, backendOf, beginSession, Client } from '../client.ts';
import type { Connections } from '../connections.ts';
import { rowsOver } from './asking.ts';

/** Notices between processes over LISTEN and NOTIFY: hints that may be lost. */
interface Notifier {
  /** Notifies all other nodes. `kind`: a word. Throws a `RangeError` for payloads over 4 KB. */
  notify(kind: string, payload: string): void;
  /** Resolves once all notices are sent. */
  close(): Promise<void>;
}

export interface Notices extends Notifier {
  /** `listener` runs with others' notices of this kind. */
  onNotice(kind: string, listener: (payload: string) => void): void;
  /** `listener` runs after possible losses, once notices arrive again. */
  onMissed(listener: () => void): void;
  /** Whether notices arrive. */
  readonly canHear: boolean;
}

interface NoticesSettings {
  /** The address for LISTEN, whose session a pooler may not provide. */
  readonly url: string;
  /** The longest wait for its own notice in ms, before the connection is replaced. */
  readonly silenceMs?: number;
  readonly onTrouble: OnTrouble;
  /** Called with the kind of a notice that could not be sent. */
  readonly onUnsent: OnUnsent;
}

type OnUnsent = (kind: string) => void;

const MOST_BYTES = 4_096;
const SILENCE_MS = 5_000;
const CONNECT_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

const SESSION = beginSession({ statementMs: CONNECT_MS, lockMs: CONNECT_MS });
const CHANNEL = `SELECT 'pushctl_' || current_schema()::text::regnamespace::oid AS name`;

/** `self` identifies this process's notices. */
export function notifierOver(
  connections: Connections,
  onUnsent: OnUnsent = () => {},
  self: string = randomUUID(),
): Notifier {
  const askRow = rowsOver(connections);
  const underWay = new Set<Promise<void>>();
  return {
    notify(kind, payload) {
      if (Buffer.byteLength(payload) > MOST_BYTES) throw new RangeError(`a notice has at most ${MOST_BYTES} bytes`);
      const notifying = askRow<void>('SELECT notify_nodes($1)', [`${kind} ${self} ${payload}`])
        .catch(() => onUnsent(kind))
        .finally(() => underWay.delete(notifying));
      underWay.add(notifying);
    },
    close: async () => void (await Promise.all(underWay)),
  };
}

/** Listens at `url` over its own connection, reopened after breaks. Sends over `connections`. */
export async function noticesOver(
  connections: Connections,
  { url, onTrouble, onUnsent, silenceMs = SILENCE_MS }: NoticesSettings,
): Promise<Notices> {
  const self = randomUUID();
  const reports = reportsOf('notices', onTrouble);
  const notifier = notifierOver(connections, onUnsent, self);
  const channel = await rowsOver(connections)<{ readonly name: string }>(CHANNEL, []);
  const noticeListeners: { readonly kind: string; readonly listener: (payload: string) => void }[] = [];
  const missedListeners: (() => void)[] = [];
  const closed = Promise.withResolvers<void>();
  let isClosed = false;
  let canHear = false;
  let pings = 0;
  let heardPing = 0;
  /** Must have arrived by the next check. */
  let expectedPing = 0;
  let breakOff = () => {};

  /** Passes others' notices to the listeners. Of its own it handles only pings. */
  function hear({ payload = '' }: { readonly payload?: string | undefined }): void {
    const [kind = '', from = '', ...words] = payload.split(' ');
    const rest = words.join(' ');
    if (from === self && kind === 'ping') heard(Number(rest));
    if (from === self) return;
    for (const { kind: wantedKind, listener } of noticeListeners) if (wantedKind === kind) listener(rest);
  }

  function heard(ping: number): void {
    heardPing = ping;
    if (canHear) return;
    canHear = true;
    reports.succeeded();
    for (const listener of missedListeners) listener();
  }

  function ping(): void {
    pings += 1;
    notifier.notify('ping', String(pings));
  }

  /** Pings over the usual connections prove that both lead to the same database. */
  const timer = setInterval(() => {
    if (heardPing < expectedPing) breakOff();
    ping();
    expectedPing = pings;
  }, silenceMs).unref();

  /** Listens until a break. Rejects if it cannot connect. */
  async function listen(): Promise<void> {
    const client = new Client({
      connectionString: url,
      application_name: 'pushctl listening',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
    });
    const ended = new Promise<void>((resolve) => client.on('end', resolve).on('error', () => resolve()));
    // Dead connections never answer a goodbye.
    breakOff = () => client.connection.stream.destroy();
    let backend: Backend | null = null;
    try {
      await client.connect();
      backend = backendOf(await answered(client, { text: SESSION }, CONNECT_MS), client);
      client.on('notification', hear);
      await answered(client, { text: `LISTEN ${channel.name}` }, CONNECT_MS);
      expectedPing = 0;
      ping();
      await ended;
    } finally {
      canHear = false;
      breakOff();
      if (backend !== null && !isClosed) connections.abandon(backend);
    }
  }

  async function listenAgain(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !isClosed; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const heardBefore = heardPing;
      await listen().catch(reports.failed);
      if (heardPing > heardBefore) pauseMs = FIRST_PAUSE_MS;
      await Promise.race([paused(pauseMs), closed.promise]);
    }
  }

  const listening = listenAgain();

  return {
    onNotice: (kind, listener) => void noticeListeners.push({ kind, listener }),
    onMissed: (listener) => void missedListeners.push(listener),
    notify: notifier.notify,
    get canHear() {
      return canHear;
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      closed.resolve();
      breakOff();
      await Promise.all([listening, notifier.close()]);
    },
  };
}

async function paused(ms: number): Promise<void> {
  await new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());
}
