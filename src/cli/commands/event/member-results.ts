import { PUSH_RESULTS, type PushResult } from '../../../contract/push-results.ts';
import { isServed, pauseOf } from '../../../health/findings.ts';
import type { DeviceResult, MemberResult, NeverTried, RouteState } from '../../../store/calls.ts';
import { type CommandContext, unwrap } from '../../context.ts';
import { count, fields, table, when } from '../../output/table.ts';

/** Results whose times mean nothing to people. */
const DATELESS: readonly PushResult[] = ['waiting', 'route_paused', 'workspace_suspended'];

/** Prints why each device of a member got an event, or did not. */
export async function showMember(
  context: CommandContext,
  publicId: string,
  { email, limit }: { readonly email: string; readonly limit?: number | undefined },
): Promise<void> {
  const { event, member, routes } = await context.withReadableStore(async (store) => {
    const shown = unwrap(await store.showEvent({ publicId, email, limit: 1 }));
    return { ...shown, routes: await store.listRoutes({}) };
  });
  if (member === null) throw new Error('a member was asked for');
  const devices = member.devices.slice(0, limit).map((device) => withReason(device, routes));
  const others = member.devices.length - devices.length;
  context.print({ event, member: { ...member, devices } }, () => {
    const { channel, workspace, title, received_at } = event;
    const head = fields(context, {
      event: publicId,
      title,
      channel: channel === null ? `${workspace} (test push)` : `${workspace}/${channel}`,
      received: when(received_at),
      member: `${member.name} <${member.email}>`,
    });
    const more = others === 0 ? '' : `\n${count(others, 'more device')}. See them without --limit.`;
    return `${head}\n\n${deviceLines(context, { ...member, devices })}${more}`;
  });
}

/** `3 muted, 1 waits`, of the devices that an event was never sent to. */
export function untriedText(untried: readonly NeverTried[]): string {
  return untried.map(({ result, devices }) => `${count(devices, 'device')}: ${PUSH_RESULTS[result]}`).join('; ');
}

function deviceLines(context: CommandContext, { devices, result }: MemberResult): string {
  const rows = devices.map((device) => [device.device_id, wordsOf(device), device.device]);
  return table(context, ['DEVICE', 'RESULT', 'NAME'], rows, sentence(PUSH_RESULTS[result]));
}

/** Fits 80 columns with the id and a short name. */
function wordsOf({ result, reason, at, until, min_level }: DeviceResult): string {
  const words = PUSH_RESULTS[result];
  const cause = reason === null ? '' : `: ${reason}`;
  if (until !== null) return `${words} until ${when(until)}${cause}`;
  if (min_level !== null) return `${words} below ${min_level}${cause}`;
  return at === null || DATELESS.includes(result) ? words + cause : `${words}${cause}, ${when(at)}`;
}

function withReason(device: DeviceResult, routes: readonly RouteState[]): DeviceResult {
  if (device.result === 'route_paused') {
    const state = routes.find(({ route }) => route === device.route);
    const pause = state === undefined ? null : pauseOf(state);
    return pause === null ? device : { ...device, reason: pause.reason };
  }
  if (device.result !== 'waiting') return device;
  return isServed(routes) || device.reason !== null ? device : { ...device, reason: 'the server does not run' };
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
