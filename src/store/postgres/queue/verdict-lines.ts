import { RECEIPT_WITHIN_MS } from '../../../contract/receipts.ts';
import type { Lane, Route } from '../../../push.ts';
import { type DeliveryChange, deliveryChange, isAwaited, type Line, learnedOf } from '../../queue/verdicts.ts';
import type { Connection } from '../connections.ts';
import type { QueueDeps } from './deps.ts';
import type { HeldPart } from './held-claims.ts';

/** A target's verdict, and where it was claimed. */
export interface HeldLine extends Line {
  readonly part: HeldPart;
  readonly route: Route;
  readonly lane: Lane;
}

const SETTLE = "SELECT encode(uuid, 'hex') AS uuid FROM settle_claims($1, $2, $3, $4, $5, $6, $7) AS uuid";
const SETTLE_AGAIN = SETTLE.replace('settle_claims', 'settle_again');

/** Settles lines, and deletes `done` claims. Returns the UUIDs (hex) of events without pushes left. */
export async function settleLines(
  { ask }: Pick<Connection, 'ask'>,
  { node, now }: Pick<QueueDeps, 'node' | 'now'>,
  lines: readonly HeldLine[],
  done: readonly HeldPart[],
): Promise<readonly string[]> {
  const learned = lines.flatMap(learnedRows);
  const moment = now();
  const { rows } = await ask({
    text: lines.some(({ part }) => part.isUncertain) ? SETTLE_AGAIN : SETTLE,
    values: [
      JSON.stringify(rowsOf(lines)),
      learned.length === 0 ? null : JSON.stringify(learned),
      done.map(({ id }) => id),
      node,
      moment?.wallMs ?? null,
      moment?.steadyMs ?? null,
      requestsOf([...lines.map(({ part }) => part), ...done]),
    ],
  });
  return (rows as readonly { readonly uuid: string }[]).map(({ uuid }) => uuid);
}

/** Returns the parts' requests as JSON, by claim id. */
export function requestsOf(parts: readonly Pick<HeldPart, 'id' | 'request'>[]): string {
  return JSON.stringify(Object.fromEntries(parts.map(({ id, request }) => [id, request])));
}

/** Targets of a part with the same verdict: most of a page's. */
interface Row {
  readonly of: HeldLine;
  readonly change: DeliveryChange;
  readonly deviceIds: number[];
}

/** Groups lines into rows of the type `verdict_line`. */
function rowsOf(lines: readonly HeldLine[]): readonly object[] {
  const rows: Row[] = [];
  for (const of of lines) {
    const row: Row = { of, change: deliveryChange(of.verdict, of.lane), deviceIds: [of.deviceId] };
    const last = rows.at(-1);
    if (last && isAlike(last, row)) last.deviceIds.push(of.deviceId);
    else rows.push(row);
  }
  return rows.map(({ of: { part, route, fitted, linksLost }, change, deviceIds }) => ({
    event_id: part.eventId,
    claim_id: part.id,
    is_page: part.isPage,
    workspace_id: part.workspaceId,
    channel_id: part.channelId,
    route,
    lane: change.lane,
    home: part.home,
    state: change.state,
    reason: change.reason,
    spent: change.spent,
    retry_in_ms: change.retryInMs,
    fitted,
    links_lost: linksLost,
    kept_s: change.keptS,
    device_ids: deviceIds,
  }));
}

const CHANGES: readonly (keyof DeliveryChange)[] = ['state', 'lane', 'spent', 'reason', 'retryInMs', 'keptS'];

function isAlike(a: Row, b: Row): boolean {
  return (
    a.of.part === b.of.part &&
    a.of.fitted === b.of.fitted &&
    a.of.linksLost === b.of.linksLost &&
    CHANGES.every((column) => a.change[column] === b.change[column])
  );
}

/** Returns a line's evidence on its device, and whether the device should report showing the push. */
function learnedRows({ part, deviceId, verdict }: HeldLine): readonly object[] {
  const learned = learnedOf(verdict);
  const awaited = { device_id: deviceId, state: 'awaited', event_id: part.eventId, within_ms: RECEIPT_WITHIN_MS };
  return [
    ...(learned === null ? [] : [{ ...learned, device_id: deviceId, at_ms: learned.atMs }]),
    ...(isAwaited(verdict) ? [awaited] : []),
  ];
}
