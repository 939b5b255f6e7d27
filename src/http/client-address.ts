import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { type Config, listenUrlOf } from '../config/config.ts';
import { isAddressOrNetwork, isLoopback } from '../config/units.ts';
import type { Clock } from '../process/clock.ts';
import { type Finding, warn } from '../process/finding.ts';
import { OperatorProblem } from '../process/problem.ts';
import { toTimestamp } from '../values/timestamp.ts';

/**
 * Finds the client's address and scheme. Believes `X-Forwarded-For` and `X-Forwarded-Proto` only as far as trusted
 * proxies wrote them: the client is the rightmost untrusted hop.
 */
export class ClientAddresses {
  readonly #trusted = new BlockList();
  readonly #hasTrusted: boolean;

  /** `trusted`: addresses and networks (`10.0.0.0/8`); others throw OperatorProblem. */
  constructor(trusted: readonly string[]) {
    for (const entry of trusted) addTo(this.#trusted, entry);
    this.#hasTrusted = trusted.length > 0;
  }

  /** Returns the client's address, IPv4 plainly. */
  addressOf(request: IncomingMessage): string {
    let address = plain(request.socket.remoteAddress ?? '');
    if (!this.#hasTrusted) return address;
    const hops = forwardedFor(request);
    while (this.#isTrusted(address)) {
      const hop = hops.pop();
      if (hop === undefined) break;
      const claimed = plain(withoutPort(hop.trim()));
      if (isIP(claimed) === 0) break;
      address = claimed;
    }
    return address;
  }

  /** Returns the IPv4 address or the IPv6 /64, within which clients can choose. */
  networkOf(request: IncomingMessage): string {
    return networkAround(this.addressOf(request));
  }

  /**
   * Returns the client's networks, widest first: /48, /56 and /64 (providers give customers any of these), or the IPv4
   * address.
   */
  networksOf(request: IncomingMessage): readonly string[] {
    return networksAround(this.addressOf(request));
  }

  /** Returns the peer's networks; none for a trusted proxy, which speaks for many. */
  peerNetworksOf({ remoteAddress }: Pick<Socket, 'remoteAddress'>): readonly string[] {
    const address = this.untrustedPeerOf({ remoteAddress });
    return address === null ? [] : networksAround(address);
  }

  /** Returns the peer's address; null: a trusted proxy. */
  untrustedPeerOf({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string | null {
    const address = plain(remoteAddress ?? '');
    return this.#hasTrusted && this.#isTrusted(address) ? null : address;
  }

  /** Returns the client's scheme. A trusted proxy that names none counts as HTTPS. */
  schemeOf(request: IncomingMessage): 'http' | 'https' {
    const { socket, headers } = request;
    if (this.peerNetworksOf(socket).length > 0) return 'encrypted' in socket ? 'https' : 'http';
    return /^http(?:,|$)/i.test(String(headers['x-forwarded-proto'] ?? '')) ? 'http' : 'https';
  }

  #isTrusted(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }
}

/** Matches addresses in a list of addresses and networks. Throws OperatorProblem for other entries. */
export function inNetworks(entries: readonly string[]): (address: string) => boolean {
  const addresses = new ClientAddresses(entries);
  return (address) => addresses.peerNetworksOf({ remoteAddress: address }).length === 0;
}

function networksAround(address: string): readonly string[] {
  return isIP(address) === 6 ? [48, 56, 64].map((bits) => networkAround(address, bits)) : [address];
}

/** `bits`: 48 to 64. */
function networkAround(address: string, bits = 64): string {
  if (isIP(address) !== 6) return address;
  const [first, second, third, fourth = '0'] = groupsOf(address);
  const last = Number.parseInt(fourth, 16) & (0xffff << (64 - bits));
  return `${first}:${second}:${third}:${last.toString(16)}::/${bits}`;
}

function addTo(list: BlockList, entry: string): void {
  if (!isAddressOrNetwork(entry)) {
    throw new OperatorProblem(`proxy.trusted: "${entry}" is neither an address nor a network like 10.0.0.0/8`, 2);
  }
  const [address = '', prefix] = entry.split('/');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (prefix === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(prefix), family);
}

function forwardedFor(request: IncomingMessage): string[] {
  const field = request.headers['x-forwarded-for'];
  if (field === undefined) return [];
  return (Array.isArray(field) ? field.join(',') : field).split(',');
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const [, bracketed, ipv4] = /^\[([^\]]*)\](?::\d+)?$|^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop) ?? [];
  return bracketed ?? ipv4 ?? hop;
}

/** A dual-stack socket shows IPv4 clients as `::ffff:192.0.2.1`. */
function plain(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address.replace(/%.*$/, '');
}

/** Returns an IPv6 address's eight groups without leading zeros. */
function groupsOf(address: string): readonly string[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array.from({ length: missing }, () => '0'), ...right];
}

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
