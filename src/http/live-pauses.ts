import { bestOf } from '../contract/push-results.ts';
import type { LiveRoute, MemberResult } from '../store/calls.ts';

/** Adds pauses that only the running server knows, such as an unresponsive provider. */
export function withLivePauses(member: MemberResult, routes: ReadonlyMap<string, LiveRoute>): MemberResult {
  const devices = member.devices.map((device) => {
    const pause = device.result === 'waiting' ? routes.get(device.route)?.pause : null;
    return pause ? { ...device, result: 'route_paused' as const, until: null, reason: pause.reason } : device;
  });
  return { ...member, devices, result: bestOf(devices.map(({ result }) => result)) };
}
