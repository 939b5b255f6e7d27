/** A device floods the server with reports. The store gets at most the limit, and other devices still report. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { API_ERRORS } from '../../src/contract/errors.ts';
import { ClientAddresses } from '../../src/http/client-address.ts';
import { ApiError } from '../../src/http/errors.ts';
import { ProvenClients } from '../../src/http/limits/proven-clients.ts';
import { Receipts } from '../../src/http/receipts.ts';
import type { Context } from '../../src/http/request-state.ts';
import type { Receipt, ReceiptAnswer, Reporter } from '../../src/store/calls.ts';
import { SimulatedClock } from '../support/simulation.ts';

/** In one minute. The limits are 60 a device, 300 a person and 12,000 a network. */
const FLOOD = 100_000;
const MOST = { device: 60, person: 300 } as const;
const NEIGHBORS = 100;

test('100,000 reports of a device in a minute cost the store 60, and 100 others of its network report', async () => {
  const { receipts, calls } = counted(() => 1);
  const statuses = await flood(receipts, () => tokenOf(0));
  assert.equal(statuses, { 204: MOST.device, 429: FLOOD - MOST.device });
  assert.ok(calls.findReporter <= MOST.device && calls.recordReceipts <= MOST.device, JSON.stringify(calls));
  const { receipts: shared } = counted((id) => Number(id));
  await flood(shared, () => tokenOf(0));
  for (let nth = 1; nth <= NEIGHBORS; nth += 1) assert.is(await report(shared, tokenOf(nth), nth), 204);
});

test('a person with 50 devices has 300 reports a minute', async () => {
  const { receipts, calls } = counted(() => 1);
  const statuses = await flood(receipts, (nth) => tokenOf(nth % 50));
  assert.equal(statuses, { 204: MOST.person, 429: FLOOD - MOST.person });
  assert.ok(calls.findReporter <= MOST.person && calls.recordReceipts <= MOST.person, JSON.stringify(calls));
});

test.run();

/** Receipts over a store that counts its calls, on a clock that stands still. */
function counted(userOf: (id: string) => number) {
  const calls = { findReporter: 0, recordReceipts: 0 };
  const store = {
    async findReporter({ id }: Reporter) {
      calls.findReporter += 1;
      return { userId: userOf(id) };
    },
    async recordReceipts({ reports }: { readonly reports: readonly Receipt[] }): Promise<readonly ReceiptAnswer[]> {
      calls.recordReceipts += 1;
      return reports.map(() => ({ kind: 'recorded', workspaceId: 1, isFirst: false }));
    },
  };
  const parts = { clock: new SimulatedClock(), isOn: true, onRecorded() {} };
  const receipts = new Receipts({
    store,
    clients: new ClientAddresses([]),
    proven: new ProvenClients(),
    ...parts,
  });
  return { receipts, calls };
}

async function flood(receipts: Receipts, tokenAt: (nth: number) => string): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  for (let nth = 0; nth < FLOOD; nth += 1) {
    const status = await report(receipts, tokenAt(nth), 0);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

/** A request as the route passes it on. All come from one address. */
async function report(receipts: Receipts, token: string, device: number): Promise<number> {
  const req = { headers: { authorization: `Bearer ${token}` }, socket: { remoteAddress: '192.0.2.7' } };
  const context = { req, params: { device: String(device) }, state: {} } as unknown as Context;
  try {
    const reporter = await receipts.authenticate(context);
    await receipts.record({ ...reporter, publicId: 'evt_1', atMs: 0, opened: false });
    return 204;
  } catch (error) {
    if (error instanceof ApiError) return API_ERRORS[error.code].status;
    throw error;
  }
}

/** A well-formed device token. */
function tokenOf(nth: number): string {
  return `pdev_${String(nth).padStart(42, 'a')}A`;
}
