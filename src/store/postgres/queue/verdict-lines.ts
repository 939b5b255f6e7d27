import { RECEIPT_WITHIN_MS } from '../../../contract/receipts.ts';
import type { Lane, Route } from '../../../push.ts';
import type { SettleArgs, Verdict } from '../../calls.ts';
import type { Connection } from '../connections.ts';
import type { QueueDeps } from './deps.ts';
import type { HeldClaim, HeldPart } from './held-claims.ts';

export type QueueVerdict = Verdict | { readonly state: 'withdrawn'; readonly reason: string };

/** A target's input of `settle_claims`. */
export interface VerdictLine {
  readonly part: HeldPart;
  readonly route: Route;
  readonly lane: Lane;
  readonly deviceId: number;
  readonly verdict: QueueVerdict;
  readonly fitted: boolean;
  readonly linksLost: boolean;
}

const SETTLE = "SELECT encode(uuid, 'hex') AS uuid FROM settle_claims($1, $2, $3, $4, $5, $6, $7) AS uuid";
const SETTLE_AGAIN = SETTLE.replace('settle_claims', 'settle_again');

/** Settles lines, and deletes `done` claims. Returns the UUIDs (hex) of events without pushes left. */
export async function settleLines(
  { ask }: Pick<Connection, 'ask'>,
  { node, now }: Pick<QueueDeps, 'node' | 'now'>,
  lines: readonly VerdictLine[],
  done: readonly HeldPart[],
): Promise<readonly string[]> {
  const learned = [...lines.flatMap(learnedOf), ...lines.flatMap(awaitedOf)];
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
export function requestsOf(parts: readonly HeldPart[]): string {
  return JSON.stringify(Object.fromEntries(parts.map(({ id, request }) => [id, request])));
}

/** Returns lines for a claim's verdicts, without settled targets. */
export function linesOf(claim: HeldClaim, verdicts: SettleArgs['verdicts']): (VerdictLine & { index: number })[] {
  const { route, lane } = claim;
  return verdicts.flatMap(({ index, verdict, fitted, linksLost }) => {
    const part = claim.openPart[index];
    const deviceId = claim.deviceIds[index];
    return part && deviceId !== undefined ? [{ index, part, route, lane, deviceId, verdict, fitted, linksLost }] : [];
  });
}

/** Groups lines: most of a page's targets have the same verdict, so share a row. */
function rowsOf(lines: readonly VerdictLine[]): readonly object[] {
  const rows: Row[] = [];
  for (const line of lines) {
    const last = rows.at(-1);
    if (last && isAlike(last.of, line)) last.deviceIds.push(line.deviceId);
    else rows.push({ of: line, deviceIds: [line.deviceId] });
  }
  return rows.map(rowOf);
}

interface Row {
  readonly of: VerdictLine;
  readonly deviceIds: number[];
}

function isAlike(a: VerdictLine, b: VerdictLine): boolean {
  return (
    a.part === b.part &&
    a.fitted === b.fitted &&
    a.linksLost === b.linksLost &&
    a.verdict.state === b.verdict.state &&
    reasonOf(a) === reasonOf(b) &&
    isSent(a.verdict) === isSent(b.verdict) &&
    keptOf(a) === keptOf(b) &&
    !('retryInMs' in a.verdict)
  );
}

function rowOf({ of, deviceIds }: Row) {
  const { part, route, lane, verdict, fitted, linksLost } = of;
  return {
    event_id: part.eventId,
    claim_id: part.id,
    is_page: part.isPage,
    workspace_id: part.workspaceId,
    channel_id: part.channelId,
    route,
    lane: verdict.state === 'held' ? 'quarantine' : lane,
    home: part.home,
    state: verdict.state,
    reason: reasonOf(of),
    spent: isSent(verdict) ? 1 : 0,
    retry_in_ms: 'retryInMs' in verdict ? verdict.retryInMs : null,
    fitted,
    links_lost: linksLost,
    kept_s: keptOf(of),
    device_ids: deviceIds,
  };
}

function reasonOf({ verdict }: VerdictLine): string | null {
  return verdict.state === 'accepted' ? null : verdict.reason;
}

function keptOf({ verdict }: VerdictLine): number | null {
  return verdict.state === 'accepted' ? (verdict.keptS ?? null) : null;
}

/** Returns what the verdict reveals about the device. */
function learnedOf({ part, deviceId, verdict }: VerdictLine): readonly object[] {
  const { state } = verdict;
  const isReported =
    (state === 'accepted' && verdict.token !== undefined) ||
    (state === 'held' && verdict.spent) ||
    state === 'unregistered';
  if (!isReported) return [];
  const { token } = verdict;
  const reason = state === 'accepted' ? null : verdict.reason;
  // Undated answers may be as old as the claim: devices registered since stay.
  const atMs = state === 'unregistered' ? (verdict.atMs ?? part.readAtMs) : null;
  return [{ device_id: deviceId, state, reason, token, at_ms: atMs }];
}

/** Returns the push that the device may report as shown. */
function awaitedOf({ part, deviceId, verdict }: VerdictLine): readonly object[] {
  const isAwaited = verdict.state === 'accepted' && verdict.isAwaited === true;
  return isAwaited
    ? [{ device_id: deviceId, state: 'awaited', event_id: part.eventId, within_ms: RECEIPT_WITHIN_MS }]
    : [];
}

/**
 * Whether the push was sent. Expired and withdrawn ones end without another attempt; unspent ones were returned by a
 * paused route.
 */
function isSent(verdict: QueueVerdict): boolean {
  if ('spent' in verdict) return verdict.spent;
  return verdict.state !== 'expired' && verdict.state !== 'withdrawn';
}
