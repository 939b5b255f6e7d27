/** Every refusal's wording: what is wrong; separately, what an operator can do on the command line. */
import { API_ERRORS } from '../contract/errors.ts';
import type { FieldProblem } from '../contract/names.ts';
import { type AlertState, PROVIDER_NAMES, type Scope } from '../push.ts';
import type { Refusal } from './calls.ts';

type NamedWorkspace = { readonly id: number; readonly slug: string };

export function noWorkspace(slug: string): Refusal {
  const missing = notFound(`No workspace is called "${slug}".`, shows('workspace list', 'them all'));
  return { ...missing, unknown: { of: 'workspace', name: slug } };
}

export function noChannel(slug: string, workspace: NamedWorkspace): Refusal {
  const shown = shows(`channel list ${workspace.slug}`, 'them all');
  const missing = notFound(`Workspace "${workspace.slug}" has no channel "${slug}".`, shown);
  return { ...missing, unknown: { of: 'channel', name: slug, workspaceId: workspace.id } };
}

export function noChannelAnywhere(slug: string): Refusal {
  const missing = notFound(`No workspace has a channel "${slug}".`, shows('channel list <workspace>', 'those of one'));
  return { ...missing, unknown: { of: 'channel', name: slug, workspaceId: null } };
}

/** Refuses integrators, who see no other channel. */
export function noSuchChannel(slug: string): Refusal {
  return notFound(`There is no channel "${slug}".`);
}

export function noPlan(name: string): Refusal {
  const missing = invalid(`No plan is called "${name}".`, shows('plan list', 'them all'));
  return { ...missing, unknown: { of: 'plan', name } };
}

export function noKey(id: string): Refusal {
  return notFound(`No API key has the id "${id}".`, shows('key list <workspace>', 'the ids'));
}

export function noUser(email: string): Refusal {
  const missing = notFound(
    `No user has the address "${email}".`,
    `\`pushctl member add <workspace> ${email}\` adds a member.`,
  );
  return { ...missing, unknown: { of: 'user', name: email } };
}

export function noMember(email: string, workspace: NamedWorkspace): Refusal {
  const advice = `\`pushctl member add ${workspace.slug} ${email}\` adds a member.`;
  const missing = notFound(`"${email}" is not a member of workspace "${workspace.slug}".`, advice);
  return { ...missing, unknown: { of: 'member', name: email, workspaceId: workspace.id } };
}

export function noDevice(id: string): Refusal {
  return notFound(`No device has the id "${id}".`, shows('device list <workspace>', 'the ids'));
}

export function nameWorkspace(email: string, workspaces: readonly NamedWorkspace[]): Refusal {
  const several = `The device's owner, "${email}", belongs to several workspaces: ${listPlaces(workspaces)}.`;
  return { ...invalid(several, 'Say which one is meant: --workspace.'), field: 'workspace' };
}

export function notOfThem(email: string, owner: string, workspaces: readonly NamedWorkspace[]): Refusal {
  const strangers = `"${email}" belongs to no workspace of the device's owner, "${owner}": ${listPlaces(workspaces)}.`;
  return conflict(strangers, `\`pushctl member add ${workspaces[0]?.slug} ${email}\` makes them a member.`);
}

export function noEvent(publicId: string): Refusal {
  return notFound(`No event has the id "${publicId}".`, shows('event list <workspace>', 'the latest ones'));
}

export function noScope(scope: Scope): Refusal {
  return { refused: 'forbidden', message: `The API key does not have the scope ${scope}.`, code: 'missing_scope' };
}

export function noAlert(publicId: string): Refusal {
  const none = conflict(
    `Event "${publicId}" belongs to no alert.`,
    'Events of a channel that insists do: `pushctl channel insist`.',
  );
  return { ...none, code: 'no_alert' };
}

/** `by`: who brought the alert there. */
export function nothingToUndo(state: AlertState, by: string | null): Refusal {
  const now = `The alert is ${state} now${by === null ? '' : ` (${by})`}.`;
  return {
    ...conflict(`Your last change is more than a minute old, or somebody has changed the alert since. ${now}`),
    code: 'nothing_to_undo',
  };
}

/** `why`: a whole sentence. */
export function notReopened(why: string): Refusal {
  return { ...conflict(why, 'The next event with its key opens a new alert.'), code: 'not_reopened' };
}

/** Another live alert has its key. */
export function alertLives(other: string): Refusal {
  return {
    ...conflict(`Alert "${other}" with the same key is live.`, shows(`alert show ${other}`, 'it')),
    code: 'alert_lives',
  };
}

export function alertEnded(publicId: string): Refusal {
  return conflict(
    `Alert "${publicId}" has ended, or its channel no longer insists.`,
    shows(`alert show ${publicId}`, 'it'),
  );
}

export function notTheirAlert(): Refusal {
  return { refused: 'forbidden', message: 'Only the person who has the alert, owners and admins may reassign it.' };
}

/** `why`: a whole sentence. */
export function notReachable(why: string): Refusal {
  return {
    ...conflict(why, 'It takes an active device that is subscribed to the channel and not muted.'),
    code: 'not_reachable',
  };
}

export function eventElsewhere(publicId: string, place: { workspace: string; channel: string | null }): Refusal {
  const where =
    place.channel === null
      ? `is a test push of workspace "${place.workspace}"`
      : `was posted to ${place.workspace}/${place.channel}`;
  return conflict(`Event "${publicId}" ${where}.`, 'Name that place, or the event alone.');
}

/** `most`: unread events of a person apart from those newer than all read ones. */
export function tooMuchUnread(most: number): Refusal {
  return conflict(`No more than ${most} events can be marked as unread. Mark some as read first.`);
}

/** Deliveries are deleted before their event. */
export function deliveriesForgotten(publicId: string): Refusal {
  const old = `Event "${publicId}" is older than [retention] deliveries: it is not known any more for which devices it failed.`;
  return conflict(old, RESEND_ALL);
}

export function nothingToResend(publicId: string): Refusal {
  return conflict(`Nothing of event "${publicId}" failed or expired.`, RESEND_ALL);
}

export function stillCancelling(publicId: string): Refusal {
  const cancelled = `Event "${publicId}" was cancelled, and not all that waited of it has ended yet. Try again in a minute.`;
  return { refused: 'busy', message: cancelled, hint: `\`pushctl event cancel ${publicId}\` ends the rest.` };
}

/** Why an event cannot be reposted, and the command that changes it. */
export function unpostable(why: string, command: string): Refusal {
  return conflict(why, `See \`pushctl ${command}\`.`);
}

export function allowanceSpent(workspace: string): Refusal {
  const spent = `Workspace "${workspace}" has spent its allowance of this month, and the event would count once more.`;
  return conflict(spent, `\`pushctl workspace set-plan ${workspace} <plan>\` gives it another.`);
}

const RESEND_ALL = '`pushctl event resend --all` posts it once more, to all that are subscribed now.';

export function noSession(id: string, email: string): Refusal {
  return notFound(`"${email}" has no session "${id}".`, shows(`member sessions ${email}`, 'them all'));
}

export function passwordMoved(): Refusal {
  return conflict('The password was changed meanwhile. Sign in again.');
}

export function noPasskey(id: string): Refusal {
  return notFound(`There is no passkey "${id}".`);
}

export function passkeyNotTaken(why: string): Refusal {
  return conflict(`The passkey was not added. ${why}`);
}

export function workspaceExists(slug: string): Refusal {
  return conflict(`A workspace is already called "${slug}".`, shows(`workspace show ${slug}`, 'it'));
}

export function channelExists(slug: string, workspace: string): Refusal {
  const taken = `Workspace "${workspace}" already has a channel "${slug}".`;
  return conflict(taken, shows(`channel list ${workspace}`, 'all of them'));
}

export function noHeartbeat(slug: string, workspace: NamedWorkspace): Refusal {
  const shown = shows(`heartbeat list ${workspace.slug}`, 'them all');
  return notFound(`Workspace "${workspace.slug}" has no heartbeat "${slug}".`, shown);
}

export function heartbeatExists(slug: string, workspace: string): Refusal {
  const taken = `Workspace "${workspace}" already has a heartbeat "${slug}".`;
  return conflict(taken, shows(`heartbeat show ${workspace} ${slug}`, 'it'));
}

export function memberExists(email: string, workspace: string, role: string): Refusal {
  const there = `"${email}" is already a member of workspace "${workspace}", with the role ${role}.`;
  return conflict(there, `\`pushctl member role ${workspace} ${email} <role>\` changes it.`);
}

/** Their devices or subscriptions are many. */
export function stillLeaving(email: string): Refusal {
  const leaving = `"${email}" was removed, and what they had here is not all gone yet. Try again in a minute.`;
  return { refused: 'busy', message: leaving, hint: 'The running server removes it.' };
}

export function keyExists(id: string): Refusal {
  return conflict(`An API key with the id "${id}" already exists. Try again: a new one gets a new id.`);
}

export function deadKey(id: string, how: 'revoked' | 'expired'): Refusal {
  const dead = `API key "${id}" has ${how === 'revoked' ? 'been revoked' : 'expired'}.`;
  return conflict(dead, '`pushctl key issue` makes a new key.');
}

export function alreadyRotated(id: string, successor: string): Refusal {
  const rotated = `API key "${id}" has already been rotated: "${successor}" took its place.`;
  return conflict(rotated, `\`pushctl key rotate ${id} --again\` revokes that one and makes another.`);
}

export function silentDevice(id: string, reason: string | null): Refusal {
  const why = reason === null ? '' : ` (${reason})`;
  return conflict(`Device "${id}" is inactive${why}. It comes back when its app registers again.`);
}

export function routeOff(route: string): Refusal {
  const sections = PROVIDER_NAMES.map((name) => `[${name}]`).join(' and ');
  const advice = `The sections ${sections} of the configuration do that.`;
  return conflict(`No provider is configured for ${route}.`, advice);
}

export function adminsOnly(): Refusal {
  return { refused: 'forbidden', message: 'Only owners and admins of the workspace may do this.' };
}

export function ownersOnly(): Refusal {
  return { refused: 'forbidden', message: 'Only owners can add, change or remove an owner.' };
}

export function ownersRename(): Refusal {
  return { refused: 'forbidden', message: 'Only owners rename the workspace.' };
}

/** A person's name shows in workspaces that did not vouch for this session. */
export function narrowSession(): Refusal {
  const message = 'Your session lacks some of your rights. Open the invitations that wait for you first.';
  return { refused: 'forbidden', message };
}

export function ownersDevice(): Refusal {
  return { refused: 'forbidden', message: 'Only owners decide what the device of an owner is subscribed to.' };
}

/** They have rights, anywhere, that the caller lacks. */
export function notOnesToActFor(email: string): Refusal {
  const message = `"${email}" has rights that you do not have: they can do this themselves where they are signed in, and an operator can.`;
  return { refused: 'forbidden', message };
}

/** Under `oidc.only`: a manager's code opened the session, unconfirmed by the provider. */
export function providerFirst(): Refusal {
  return { refused: 'forbidden', code: 'provider_first', message: API_ERRORS.provider_first.message };
}

export function lastOwner(): Refusal {
  return conflict('This is the last owner of the workspace. Make another member an owner first.');
}

/** Removed from their last workspace between request and call. */
export function userGone(): Refusal {
  return notFound('You no longer belong to any workspace.');
}

export function tooManyDevices(most: number): Refusal {
  return conflict(`You already have ${most} devices. Remove one that you no longer use.`);
}

export function noWebhook(id: string, workspace: NamedWorkspace): Refusal {
  const shown = shows(`webhook list ${workspace.slug}`, 'them all');
  return notFound(`Workspace "${workspace.slug}" has no webhook "${id}".`, shown);
}

export function noMaintenance(id: string, workspace: NamedWorkspace): Refusal {
  const shown = shows(`maintenance list ${workspace.slug}`, 'them all');
  return notFound(`Workspace "${workspace.slug}" has no maintenance window "${id}" here.`, shown);
}

export function tooManyWindows(channel: string, workspace: NamedWorkspace, most: number): Refusal {
  const full = `Channel "${channel}" already has ${most} maintenance windows, which is as many as it may have.`;
  return conflict(full, `pushctl maintenance end ${workspace.slug} <id> makes room.`);
}

export function noRota(slug: string, workspace: NamedWorkspace): Refusal {
  const shown = shows(`rota list ${workspace.slug}`, 'them all');
  const missing = notFound(`Workspace "${workspace.slug}" has no rota "${slug}".`, shown);
  return { ...missing, unknown: { of: 'rota', name: slug, workspaceId: workspace.id } };
}

export function rotaExists(slug: string, workspace: string): Refusal {
  const taken = `Workspace "${workspace}" already has a rota "${slug}".`;
  return conflict(taken, shows(`rota show ${workspace} ${slug}`, 'it'));
}

export function tooManyRotas(workspace: string, most: number): Refusal {
  const full = `Workspace "${workspace}" already has ${most} rotas, which is as many as it may have.`;
  return conflict(full, `pushctl rota delete ${workspace} <rota> makes room.`);
}

export function rotaInUse(rota: string, channel: string): Refusal {
  const used = `Channel "${channel}" rings for the person on call by rota "${rota}".`;
  return conflict(used, 'Take the rota out of the channel first: pushctl channel insist, without --rota.');
}

export function noOverride(id: string, rota: string): Refusal {
  return notFound(`Rota "${rota}" has no current or future override "${id}".`);
}

export function tooManyOverrides(rota: string, most: number): Refusal {
  return conflict(`Rota "${rota}" already has ${most} current and future overrides, which is as many as it may have.`);
}

export function notTheirTime(): Refusal {
  const message = 'You can take any time, and hand over your own. Owners and admins can do so for anyone.';
  return { refused: 'forbidden', message };
}

export function tooManyWebhooks(slug: string, most: number): Refusal {
  const full = `Workspace "${slug}" already has ${most} webhooks, which is as many as it may have.`;
  return conflict(full, `pushctl webhook remove ${slug} <id> makes room.`);
}

export function disabledWebhook(id: string, workspace: NamedWorkspace): Refusal {
  const enable = `pushctl webhook change ${workspace.slug} ${id} --enable`;
  return conflict(`The webhook "${id}" is disabled.`, `${enable} has it hear again.`);
}

export function workspaceFull(
  slug: string,
  what: 'channels' | 'heartbeats' | 'keys' | 'members',
  most: number,
): Refusal {
  const full = `Workspace "${slug}" already has ${most} ${what}, which is as many as it may have.`;
  return conflict(full, `The setting limits.${what} allows more, from the next start on.`);
}

/** Refuses a heartbeat added by ping. */
export function pingKeyFull(most: number): Refusal {
  const full = `The pings of this key have made ${most} heartbeats, which is as many as they may.`;
  return conflict(full, '`pushctl heartbeat add` makes more.');
}

/** `lines`: the first wrong ones, from 1; `wrong`: how many in all. */
export function badImport(lines: readonly { line: number; message: string }[], wrong: number): Refusal {
  const count = wrong === 1 ? 'a line is' : `${wrong} lines are`;
  const named = lines.map(({ line, message }) => `line ${line}: ${message}`);
  const more = wrong > lines.length ? [`and ${wrong - lines.length} more`] : [];
  return invalid([`${count} wrong, nothing was imported`, ...named, ...more].join('\n  '));
}

export function importLost(maxPauseMinutes: number): Refusal {
  const bound = `It is dropped after a pause of ${maxPauseMinutes} minutes. Start it again.`;
  return invalid(`Nothing was imported: nothing is staged under this import. ${bound}`);
}

/** The client's cursor is invalid. */
export function badCursor(field: string): Refusal {
  return invalidField({ field, message: `The ${field} field is no position in this list. Start again without it.` });
}

/** Marks the request's field that named something unknown. */
export function wrongField(field: string, missing: Refusal): Refusal {
  return { ...missing, refused: 'invalid', field };
}

export function invalidField({ field, message }: FieldProblem): Refusal {
  return { ...invalid(message), field };
}

const invalid = refusing('invalid');
const notFound = refusing('not_found');
const conflict = refusing('conflict');

function refusing(refused: Refusal['refused']): (message: string, hint?: string) => Refusal {
  return (message, hint) => ({ refused, message, ...(hint !== undefined && { hint }) });
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
