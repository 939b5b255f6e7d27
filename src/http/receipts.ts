import { errorDetail } from '../contract/details.ts';
import { parseDeviceToken } from '../contract/secret-token.ts';
import type { Clock } from '../process/clock.ts';
import { MOST_REPORTS } from '../store/calls/own-devices.ts';
import type { Receipt, ReceiptAnswer, Reporter } from '../store/calls.ts';
import type { ServingStore } from '../store/client.ts';
import { inGroups } from '../values/in-groups.ts';
import { lruCache } from '../values/lru-cache.ts';
import { bearerOf } from './auth/api-key.ts';
import type { ClientAddresses } from './client-address.ts';
import { ApiError } from './errors.ts';
import { personOwner } from './limits/body-budget.ts';
import type { ProvenClients } from './limits/proven-clients.ts';
import { RollingWindows } from './limits/rolling-windows.ts';
import type { Context } from './request-state.ts';

/** Requests a minute. An alert reaches all of a network's people at once. */
const LIMITS = { network: 12_000, device: 60, person: 300 } as const;
const MOST_NAMES = 20_000;
const KNOWN_DEVICES = 10_000;

interface Parts {
  readonly store: Pick<ServingStore, 'findReporter' | 'recordReceipts'>;
  readonly clock: Clock;
  readonly clients: ClientAddresses;
  readonly proven: ProvenClients;
  readonly isOn: boolean;
  /** Called with the workspaces of a stored group's events. */
  readonly onRecorded: (events: readonly { readonly workspaceId: number }[]) => void;
}

/** Stores devices' reports in groups. Counts requests in each process's memory: floods cost the store nothing. */
export class Receipts {
  readonly #parts: Parts;
  readonly #record: (report: Receipt) => Promise<ReceiptAnswer>;
  readonly #windows = {
    network: new RollingWindows(MOST_NAMES),
    device: new RollingWindows(MOST_NAMES),
    person: new RollingWindows(),
  };
  /** The person of each token hash. Only for counting: the store checks tokens. */
  readonly #people = lruCache<string, number>(KNOWN_DEVICES);

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#record = inGroups(MOST_REPORTS, (reports) => this.#store(reports));
  }

  /**
   * Returns a token's device. Throws 401 for no device token, 404 for another device's, 429 for the limits of device,
   * person or network.
   */
  async authenticate(context: Context): Promise<Reporter> {
    const { store, clock, clients, proven, isOn } = this.#parts;
    const token = bearerOf(context.req.headers.authorization);
    context.state.refused = token === '' ? null : 'device';
    const tokenHash = parseDeviceToken(token);
    if (!isOn) throw new ApiError('wrong_device_token', { detail: errorDetail('no_receipts') });
    if (tokenHash === null) throw new ApiError('wrong_device_token');
    this.#countDevice(tokenHash, clients.networkOf(context.req));
    const reporter = { id: context.params.device ?? '', tokenHash };
    const userId = this.#people.get(tokenHash) ?? (await store.findReporter(reporter))?.userId;
    if (userId === undefined) throw new ApiError('device_not_found');
    this.#people.set(tokenHash, userId);
    this.#count('person', String(userId), clock.steadyMs());
    context.state.refused = null;
    context.state.bodyOwner = personOwner(userId, undefined);
    proven.addRequest(context.req);
    return reporter;
  }

  async record(report: Receipt): Promise<ReceiptAnswer> {
    const answer = await this.#record(report);
    if (answer.kind === 'no_device') this.#people.delete(report.tokenHash);
    return answer;
  }

  /**
   * Counts by token: only its holder can use up a device's limit. Beyond it, a device uses up nothing of its network's,
   * so others there still report.
   */
  #countDevice(tokenHash: string, network: string): void {
    const nowMs = this.#parts.clock.steadyMs();
    this.#count('network', network, nowMs);
    try {
      this.#count('device', tokenHash, nowMs);
    } catch (error) {
      this.#windows.network.takeBack(network, nowMs);
      throw error;
    }
  }

  #count(what: keyof typeof LIMITS, name: string, nowMs: number): void {
    const { admitted, resetAfterMs } = this.#windows[what].admit(name, LIMITS[what], nowMs);
    if (!admitted) throw new ApiError('report_throttled', { retryAfterMs: resetAfterMs });
  }

  async #store(reports: readonly Receipt[]): Promise<readonly ReceiptAnswer[]> {
    const answers = await this.#parts.store.recordReceipts({ reports });
    const workspaces = new Set(answers.flatMap((answer) => (answer.kind === 'recorded' ? answer.workspaceId : [])));
    this.#parts.onRecorded([...workspaces].map((workspaceId) => ({ workspaceId })));
    return answers;
  }
}
