import type { IncomingMessage } from 'node:http';
import { type Config, listenUrlOf } from '../config/config.ts';
import { isLoopback } from '../config/units.ts';
import type { Clock } from '../process/clock.ts';
import { type Finding, warn } from '../process/finding.ts';
import { toTimestamp } from '../values/timestamp.ts';
import { ClientAddresses } from './client-address.ts';

/** Proxies may forward only a few requests an hour. */
const ENDS_AFTER_MS = 3_600_000;
const HEADERS = ['x-forwarded-for', 'x-forwarded-proto', 'forwarded'] as const;

/** A request forwarded by a machine missing in `proxy.trusted`. */
interface Seen {
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly count: number;
  readonly peer: string;
  readonly hasOthers: boolean;
}

/** Notices a proxy missing in `proxy.trusted`, behind which all people share one client's limits. */
export class UntrustedProxy {
  readonly #addresses: ClientAddresses;
  readonly #clock: Pick<Clock, 'wallMs'>;
  readonly #isExpected: boolean;
  #seen: Seen | null = null;

  constructor(config: Pick<Config, 'baseUrl' | 'listen' | 'tls' | 'proxy'>, clock: Pick<Clock, 'wallMs'>) {
    this.#addresses = new ClientAddresses(config.proxy.trusted);
    this.#clock = clock;
    this.#isExpected = isBehindAnother(config);
  }

  look({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): void {
    if (!this.#isExpected || HEADERS.every((name) => headers[name] === undefined)) return;
    const peer = this.#addresses.untrustedPeerOf(socket);
    if (peer === null) return;
    const lastMs = this.#clock.wallMs();
    const before = this.#current(lastMs);
    this.#seen = {
      sinceMs: before?.sinceMs ?? lastMs,
      lastMs,
      count: (before?.count ?? 0) + 1,
      peer,
      hasOthers: before !== null && (before.hasOthers || before.peer !== peer),
    };
  }

  /** Returns the finding if such a request came within an hour. */
  findings(): readonly Finding[] {
    const seen = this.#current(this.#clock.wallMs());
    if (seen === null) return [];
    const { count, peer, hasOthers, sinceMs } = seen;
    const requests = `${count.toLocaleString('en')} ${count === 1 ? 'request' : 'requests'}`;
    const from = `${peer}${hasOthers ? ' and others' : ''}`;
    const message = `${requests} since ${toTimestamp(sinceMs)} had forwarded headers of ${from}, which proxy.trusted does not name: all clients behind it count as one`;
    const advice = `if that is your proxy, set [proxy] trusted = [${JSON.stringify(peer)}] and restart; if not, let only your proxy reach this port`;
    return [warn('proxy', message, advice)];
  }

  #current(nowMs: number): Seen | null {
    return this.#seen !== null && nowMs - this.#seen.lastMs < ENDS_AFTER_MS ? this.#seen : null;
  }
}

/** Tells whether clients use another address, without our TLS. */
export function isBehindAnother({ baseUrl, listen, tls }: Pick<Config, 'baseUrl' | 'listen' | 'tls'>): boolean {
  if (baseUrl === null || tls !== null) return false;
  const { origin, hostname } = new URL(baseUrl);
  return origin !== new URL(listenUrlOf({ listen, tls })).origin && !isLoopback(hostname.replace(/^\[(.+)\]$/, '$1'));
}
