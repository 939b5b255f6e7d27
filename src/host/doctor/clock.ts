import type { Clock } from '../../clock.ts';
import { timeAt, timeAtHttp2 } from '../../providers/probe.ts';
import type { ProviderSettings } from '../../providers/provider.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { whoAt } from './vendor.ts';

/** Their clocks say full seconds, and the answer takes a moment. */
const FINE_S = 5;
/** Google refuses what is signed with a clock that is wrong by more. */
const WRONG_S = 300;

/** This machine's clock against those of the providers: what is signed with a wrong one is refused. */
export async function checkClock({ apns, fcm }: ProviderSettings, clock: Clock): Promise<Finding[]> {
  const asked: (readonly [string, Promise<number | null>])[] = [
    ...(fcm ? [[whoAt('Google', fcm.tokenEndpoint), timeAt(fcm.tokenEndpoint, fcm.ca)] as const] : []),
    ...(apns
      ? [[whoAt('Apple', apns.endpointProduction), timeAtHttp2(apns.endpointProduction, apns.ca)] as const]
      : []),
  ];
  const compared = await Promise.all(
    asked.map(async ([who, time]) => compare(who, await time.catch(() => null), clock)),
  );
  const findings = compared.filter((finding) => finding !== null);
  return findings.length > 0 ? findings : [ok('clock', 'no provider said what time it is')];
}

function compare(who: string, theirMs: number | null, clock: Clock): Finding | null {
  if (theirMs === null) return null;
  const offS = Math.round((clock.wallMs() - theirMs) / 1000);
  if (Math.abs(offS) <= FINE_S) return ok('clock', `agrees with ${who}`);
  const message = `is ${Math.abs(offS)} s ${offS > 0 ? 'ahead of' : 'behind'} ${who}`;
  const advice = 'let the machine set its clock by the network: timedatectl set-ntp true';
  return Math.abs(offS) > WRONG_S ? fail('clock', message, advice) : warn('clock', message, advice);
}
