import type { Lane, Route } from '../../../push.ts';
import type { SettleArgs, Verdict } from '../../calls.ts';
import type { Connection } from '../connections.ts';
import type { QueueDeps } from './deps.ts';
import type { HeldClaim, HeldPart } from './held-claims.ts';

export type QueueVerdict = Verdict | { readonly state: 'withdrawn'; readonly reason: string };

/** What `settle_claims` takes of one target. */
export interface VerdictLine {
  readonly part: HeldPart;
  readonly route: Route;
  readonly lane: Lane;
  readonly deviceId: number;
  readonly verdict: QueueVerdict;
  readonly fitted: boolean;
  readonly linksLost: boolean;
}

const SETTLE = "SELECT encode(settle_claims, 'hex') AS uuid FROM settle_claims($1, $2, $3, $4, $5, $6)";

/**
 * Settles lines, and takes away the claims whose ids are `done`. Answers the UUIDs, in hex, of events that have nothing
 * left to send.
 */
export async function settleLines(
  { ask }: Pick<Connection, 'ask'>,
  { node, now }: Pick<QueueDeps, 'node' | 'now'>,
  lines: readonly VerdictLine[],
  done: readonly number[],
): Promise<readonly string[]> {
  const learned = lines.flatMap(learnedOf);
  const moment = now();
  const { rows } = await ask({
    text: SETTLE,
    values: [
      JSON.stringify(lines.map(rowOf)),
      learned.length === 0 ? null : JSON.stringify(learned),
      done,
      node,
      moment?.wallMs ?? null,
      moment?.steadyMs ?? null,
    ],
  });
  return (rows as readonly { readonly uuid: string }[]).map(({ uuid }) => uuid);
}

/** Of the verdicts on a claim: those of targets that are settled already are left out. */
export function linesOf(claim: HeldClaim, verdicts: SettleArgs['verdicts']): (VerdictLine & { index: number })[] {
  const { route, lane } = claim;
  return verdicts.flatMap(({ index, verdict, fitted, linksLost }) => {
    const part = claim.openPart[index];
    const deviceId = claim.deviceIds[index];
    return part && deviceId !== undefined ? [{ index, part, route, lane, deviceId, verdict, fitted, linksLost }] : [];
  });
}

function rowOf({ part, route, lane, deviceId, verdict, fitted, linksLost }: VerdictLine) {
  return {
    claim_id: part.id,
    event_id: part.eventId,
    device_id: deviceId,
    workspace_id: part.workspaceId,
    channel_id: part.channelId,
    route,
    lane: verdict.state === 'held' ? 'suspect' : lane,
    state: verdict.state,
    reason: verdict.state === 'accepted' ? null : verdict.reason,
    spent: wasSent(verdict) ? 1 : 0,
    retry_in_ms: 'retryInMs' in verdict ? verdict.retryInMs : null,
    fitted,
    links_lost: linksLost,
  };
}

/** What the verdict tells of the device itself. */
function learnedOf({ deviceId, verdict }: VerdictLine): readonly object[] {
  const { state } = verdict;
  const isTold =
    (state === 'accepted' && verdict.token !== undefined) ||
    (state === 'held' && verdict.spent) ||
    state === 'unregistered';
  if (!isTold) return [];
  const { token } = verdict;
  const reason = state === 'accepted' ? null : verdict.reason;
  return [{ device_id: deviceId, state, reason, token, at_ms: state === 'unregistered' ? verdict.atMs : null }];
}

/** Expired and withdrawn pushes end without another try; an unspent one came back from a paused route. */
function wasSent(verdict: QueueVerdict): boolean {
  if ('spent' in verdict) return verdict.spent;
  return verdict.state !== 'expired' && verdict.state !== 'withdrawn';
}
