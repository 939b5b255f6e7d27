/** Every refusal: what is wrong, by its code, and what an operator can do on the command line. */
import {
  type ErrorDetail,
  errorDetail,
  type FieldProblem,
  fieldProblem,
  inEnglish,
  type Params,
  type ParamsOf,
  type SentenceCode,
} from '../contract/details.ts';
import { type AlertState, PROVIDER_NAMES, type Scope } from '../push.ts';
import type { Refusal } from './calls.ts';

type NamedWorkspace = { readonly id: number; readonly slug: string };

export function noWorkspace(slug: string): Refusal {
  const missing = notFound('no_workspace', { workspace: slug }, shows('workspace list', 'them all'));
  return { ...missing, unknown: { of: 'workspace', name: slug } };
}

export function noChannel(slug: string, workspace: NamedWorkspace): Refusal {
  const shown = shows(`channel list ${workspace.slug}`, 'them all');
  const missing = notFound('no_channel', { workspace: workspace.slug, channel: slug }, shown);
  return { ...missing, unknown: { of: 'channel', name: slug, workspaceId: workspace.id } };
}

export function noChannelAnywhere(slug: string): Refusal {
  const missing = notFound('no_channel_anywhere', { channel: slug }, shows('channel list <workspace>', 'those of one'));
  return { ...missing, unknown: { of: 'channel', name: slug, workspaceId: null } };
}

/** Refuses integrators, who see no other channel. */
export function noSuchChannel(slug: string): Refusal {
  return notFound('no_such_channel', { channel: slug });
}

export function noPlan(name: string): Refusal {
  const missing = invalid('no_plan', { plan: name }, shows('plan list', 'them all'));
  return { ...missing, unknown: { of: 'plan', name } };
}

export function noKey(id: string): Refusal {
  return notFound('no_key', { key: id }, shows('key list <workspace>', 'the ids'));
}

export function noUser(email: string): Refusal {
  const missing = notFound('no_user', { email }, `\`pushctl member add <workspace> ${email}\` adds a member.`);
  return { ...missing, unknown: { of: 'user', name: email } };
}

export function noMember(email: string, workspace: NamedWorkspace): Refusal {
  const advice = `\`pushctl member add ${workspace.slug} ${email}\` adds a member.`;
  const missing = notFound('no_member', { email, workspace: workspace.slug }, advice);
  return { ...missing, unknown: { of: 'member', name: email, workspaceId: workspace.id } };
}

export function noDevice(id: string): Refusal {
  const missing = notFound('no_device', { device: id }, shows('device list <workspace>', 'the ids'));
  return { ...missing, unknown: { of: 'device', name: id } };
}

export function nameWorkspace(email: string, workspaces: readonly NamedWorkspace[]): Refusal {
  const several = { email, workspaces: listPlaces(workspaces) };
  return wrongField('workspace', invalid('several_workspaces', several, 'Say which one is meant: --workspace.'));
}

export function notOfThem(email: string, owner: string, workspaces: readonly NamedWorkspace[]): Refusal {
  const strangers = { email, owner, workspaces: listPlaces(workspaces) };
  return conflict(
    'none_of_theirs',
    strangers,
    `\`pushctl member add ${workspaces[0]?.slug} ${email}\` makes them a member.`,
  );
}

export function noEvent(publicId: string): Refusal {
  return notFound('no_event', { event: publicId }, shows('event list <workspace>', 'the latest ones'));
}

export function noScope(scope: Scope): Refusal {
  return { ...forbidden('scope', { scopes: scope }), code: 'missing_scope' };
}

export function noAlert(publicId: string): Refusal {
  const advice = 'Events of a channel that insists do: `pushctl channel insist`.';
  return { ...conflict('no_alert_of_event', { event: publicId }, advice), code: 'no_alert' };
}

/** `by`: who brought the alert there. */
export function nothingToUndo(state: AlertState, by: string | null): Refusal {
  const changed = by === null ? conflict('changed_since', { state }) : conflict('changed_since_by', { state, by });
  return { ...changed, code: 'nothing_to_undo' };
}

export function notReopened(why: 'alert_expired' | 'alert_resolved' | 'not_insisting'): Refusal {
  return { ...conflict(why, {}, 'The next event with its key opens a new alert.'), code: 'not_reopened' };
}

/** Another live alert has its key. */
export function alertLives(other: string): Refusal {
  const lives = conflict('alert_with_key', { event: other }, shows(`alert show ${other}`, 'it'));
  return { ...lives, code: 'alert_lives' };
}

export function alertEnded(publicId: string): Refusal {
  return conflict('alert_ended', { event: publicId }, shows(`alert show ${publicId}`, 'it'));
}

export function notTheirAlert(): Refusal {
  return forbidden('holders_alert');
}

export function notReachable(why: 'nobody_called' | 'several_called', name: string): Refusal {
  const advice = 'It takes an active device that is subscribed to the channel and not muted.';
  return { ...conflict(why, { name }, advice), code: 'not_reachable' };
}

export function eventElsewhere(publicId: string, place: { workspace: string; channel: string | null }): Refusal {
  const advice = 'Name that place, or the event alone.';
  const { workspace, channel } = place;
  return channel === null
    ? conflict('test_elsewhere', { event: publicId, workspace }, advice)
    : conflict('event_elsewhere', { event: publicId, workspace, channel }, advice);
}

/** `most`: unread events of a person apart from those newer than all read ones. */
export function tooMuchUnread(most: number): Refusal {
  return conflict('too_many_unread', { most });
}

/** Deliveries are deleted before their event. */
export function deliveriesForgotten(publicId: string): Refusal {
  return conflict('deliveries_forgotten', { event: publicId }, RESEND_ALL);
}

export function nothingToResend(publicId: string): Refusal {
  return conflict('nothing_to_resend', { event: publicId }, RESEND_ALL);
}

export function stillCancelling(publicId: string): Refusal {
  return busy('still_cancelling', { event: publicId }, `\`pushctl event cancel ${publicId}\` ends the rest.`);
}

export function allowanceSpent(workspace: string): Refusal {
  const advice = `\`pushctl workspace set-plan ${workspace} <plan>\` gives it another.`;
  return conflict('allowance_spent', { workspace }, advice);
}

const RESEND_ALL = '`pushctl event resend --all` posts it once more, to all that are subscribed now.';

export function noSession(id: string, email: string): Refusal {
  return notFound('no_session', { email, session: id }, shows(`member sessions ${email}`, 'them all'));
}

export function workspaceExists(slug: string): Refusal {
  return conflict('workspace_exists', { workspace: slug }, shows(`workspace show ${slug}`, 'it'));
}

export function channelExists(slug: string, workspace: string): Refusal {
  return conflict('channel_exists', { workspace, channel: slug }, shows(`channel list ${workspace}`, 'all of them'));
}

export function noHeartbeat(slug: string, workspace: NamedWorkspace): Refusal {
  const shown = shows(`heartbeat list ${workspace.slug}`, 'them all');
  return notFound('no_heartbeat', { workspace: workspace.slug, heartbeat: slug }, shown);
}

export function heartbeatExists(slug: string, workspace: string): Refusal {
  return conflict(
    'heartbeat_exists',
    { workspace, heartbeat: slug },
    shows(`heartbeat show ${workspace} ${slug}`, 'it'),
  );
}

export function memberExists(email: string, workspace: string, role: string): Refusal {
  const advice = `\`pushctl member role ${workspace} ${email} <role>\` changes it.`;
  return conflict('member_exists', { email, workspace, role }, advice);
}

/** Their devices or subscriptions are many. */
export function stillLeaving(email: string): Refusal {
  return busy('still_leaving', { email }, 'The running server removes it.');
}

export function deadKey(id: string, how: 'revoked' | 'expired'): Refusal {
  return conflict(`dead_key_${how}`, { key: id }, '`pushctl key issue` makes a new key.');
}

export function alreadyRotated(id: string, successor: string): Refusal {
  const advice = `\`pushctl key rotate ${id} --again\` revokes that one and makes another.`;
  return conflict('already_rotated', { key: id, successor }, advice);
}

export function silentDevice(id: string, reason: string | null): Refusal {
  return reason === null
    ? conflict('silent_device', { device: id })
    : conflict('silent_device_because', { device: id, reason });
}

export function routeOff(route: string): Refusal {
  const sections = PROVIDER_NAMES.map((name) => `[${name}]`).join(' and ');
  const advice = `The sections ${sections} of the configuration do that.`;
  return conflict('route_off', { route }, advice);
}

/** Refuses plain members. */
export function roleTooLow(): Refusal {
  return refusal('forbidden', { code: 'role_too_low', params: {} });
}

/** Under `oidc.only`: a manager's code opened the session, unconfirmed by the provider. */
export function providerFirst(): Refusal {
  return { ...refusal('forbidden', { code: 'provider_first', params: {} }), code: 'provider_first' };
}

/** Removed from their last workspace between request and call. */
export function userGone(): Refusal {
  return notFound('user_gone');
}

export function noWebhook(id: string, workspace: NamedWorkspace): Refusal {
  const shown = shows(`webhook list ${workspace.slug}`, 'them all');
  return notFound('no_webhook', { workspace: workspace.slug, webhook: id }, shown);
}

export function noMaintenance(id: string, workspace: NamedWorkspace): Refusal {
  const shown = shows(`maintenance list ${workspace.slug}`, 'them all');
  return notFound('no_maintenance', { workspace: workspace.slug, window: id }, shown);
}

export function tooManyWindows(channel: string, workspace: NamedWorkspace, most: number): Refusal {
  return conflict('too_many_windows', { channel, most }, `pushctl maintenance end ${workspace.slug} <id> makes room.`);
}

export function noRota(slug: string, workspace: NamedWorkspace): Refusal {
  const shown = shows(`rota list ${workspace.slug}`, 'them all');
  const missing = notFound('no_rota', { workspace: workspace.slug, rota: slug }, shown);
  return { ...missing, unknown: { of: 'rota', name: slug, workspaceId: workspace.id } };
}

export function rotaExists(slug: string, workspace: string): Refusal {
  return conflict('rota_exists', { workspace, rota: slug }, shows(`rota show ${workspace} ${slug}`, 'it'));
}

export function tooManyRotas(workspace: string, most: number): Refusal {
  return conflict('too_many_rotas', { workspace, most }, `pushctl rota delete ${workspace} <rota> makes room.`);
}

export function rotaInUse(rota: string, channel: string): Refusal {
  const advice = 'Take the rota out of the channel first: pushctl channel insist, without --rota.';
  return conflict('rota_in_use', { channel, rota }, advice);
}

export function noOverride(id: string, rota: string): Refusal {
  return notFound('no_override', { rota, override: id });
}

export function tooManyOverrides(rota: string, most: number): Refusal {
  return conflict('too_many_overrides', { rota, most });
}

export function notTheirTime(): Refusal {
  return forbidden('holders_time');
}

export function tooManyWebhooks(slug: string, most: number): Refusal {
  return conflict('too_many_webhooks', { workspace: slug, most }, `pushctl webhook remove ${slug} <id> makes room.`);
}

export function disabledWebhook(id: string, workspace: NamedWorkspace): Refusal {
  const enable = `pushctl webhook change ${workspace.slug} ${id} --enable`;
  return conflict('disabled_webhook', { webhook: id }, `${enable} has it hear again.`);
}

export function workspaceFull(
  slug: string,
  what: 'channels' | 'heartbeats' | 'keys' | 'members',
  most: number,
): Refusal {
  return conflict(
    `too_many_${what}`,
    { workspace: slug, most },
    `The setting limits.${what} allows more, from the next start on.`,
  );
}

/** Refuses a heartbeat added by ping. */
export function pingKeyFull(most: number): Refusal {
  return conflict('too_many_pinged', { most }, '`pushctl heartbeat add` makes more.');
}

/** `lines`: the first wrong ones, from 1; `wrong`: how many in all. */
export function badImport(lines: readonly { line: number; message: string }[], wrong: number): Refusal {
  const named = lines.map(({ line, message }) => `line ${line}: ${message}`);
  const more = wrong > lines.length ? [`and ${wrong - lines.length} more`] : [];
  const listed = [...named, ...more].join('\n  ');
  return wrong === 1 ? invalid('wrong_line', { lines: listed }) : invalid('wrong_lines', { wrong, lines: listed });
}

export function importLost(maxPauseMinutes: number): Refusal {
  return invalid('import_lost', { most: maxPauseMinutes });
}

/** The client's cursor is invalid. */
export function badCursor(field: string): Refusal {
  return invalidField(fieldProblem(field, 'cursor'));
}

/** Marks the request's field that named something unknown. */
export function wrongField(field: string, missing: Refusal): Refusal {
  return { ...missing, refused: 'invalid', ...(missing.detail && { detail: { ...missing.detail, field } }) };
}

export function invalidField({ message, ...detail }: FieldProblem): Refusal {
  return { refused: 'invalid', message, detail };
}

const invalid = refusing('invalid');
export const notFound = refusing('not_found');
export const conflict = refusing('conflict');
export const forbidden = refusing('forbidden');
const busy = refusing('busy');

function refusing(refused: Refusal['refused']) {
  return <Code extends SentenceCode>(
    code: Code,
    ...[params, hint]: Params<Code> extends [] ? [params?: object, hint?: string] : [ParamsOf<Code>, hint?: string]
  ): Refusal => refusal(refused, errorDetail(code, params as ParamsOf<Code>), hint);
}

function refusal(refused: Refusal['refused'], detail: ErrorDetail, hint?: string): Refusal {
  return { refused, message: inEnglish(detail), detail, ...(hint !== undefined && { hint }) };
}

/** The first few by name. */
function listPlaces(places: readonly NamedWorkspace[]): string {
  const names = places.slice(0, 5).map(({ slug }) => slug);
  return places.length > names.length
    ? `${names.join(', ')} and ${places.length - names.length} more`
    : names.join(', ');
}

function shows(command: string, what: string): string {
  return `\`pushctl ${command}\` shows ${what}.`;
}
