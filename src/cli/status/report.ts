import { whyPaused } from '../../health/findings.ts';
import { ageOf } from '../../host/doctor/gather.ts';
import { certificateEnd } from '../../process/finding.ts';
import type { CommandContext } from '../context.ts';
import { findingLines } from '../output/finding-lines.ts';
import { nodeTable } from '../output/node-table.ts';
import { shortDuration } from '../output/stats-report.ts';
import { fields, show, size, table, when } from '../output/table.ts';
import type { Status } from './collect.ts';

const DEEPER = 'Nothing to warn of. `pushctl doctor` looks deeper.';
/** A reader's status cannot judge what the next start needs. */
const FOR_READERS =
  'Nothing to warn of in the running server. Its configuration file was not checked: sudo pushctl status';

/** Returns the status on one screen. `isReader`: only the server was asked. */
export function statusReport(
  context: CommandContext,
  status: Status,
  { nowMs, isReader }: { readonly nowMs: number; readonly isReader: boolean },
): string {
  const { server, warnings } = status;
  return [
    headOf(status, nowMs),
    ...nodes(context, status),
    routes(context, status, nowMs),
    queue(context, status, nowMs),
    fields(context, {
      'open alerts': alertLine(status, nowMs),
      links: server === null ? null : `${size(server.links.bytes)} of ${size(server.links.limit_bytes)}`,
      certificate: certificateLine(status, nowMs),
      'last backup': backupLine(status, nowMs),
      ...heartbeatsLine(status),
      ...maintenanceLine(status, nowMs),
      'this version': status.version_from && `${ageOf(Date.parse(status.version_from), nowMs)} old`,
    }),
    warnings.length === 0 ? (isReader ? FOR_READERS : DEEPER) : findingLines(context, warnings),
  ].join('\n\n');
}

function alertLine({ server }: Status, nowMs: number): string | null {
  const { open, oldest_opened_at: oldest } = server?.alerts ?? { open: 0, oldest_opened_at: null };
  if (server?.alerts == null) return null;
  return oldest === null ? 'none' : `${open}, the oldest opened ${ago(oldest, nowMs)}`;
}

function headOf({ server, data_dir, database }: Status, nowMs: number): string {
  if (server === null) {
    const where = database === null ? `on ${show(data_dir)}` : 'on this machine';
    return `No server answers ${where}. This is what the database knows.`;
  }
  const runs = `pushctl ${server.version} runs since ${when(server.since)} (${ago(server.since, nowMs)}) on ${server.url}`;
  const held = server.socket === null ? '' : `, which systemd holds (${server.socket})`;
  return `${runs}${held}${server.redirects_from === null ? '' : `\nBrowsers are sent on to it from ${server.redirects_from}`}`;
}

function nodes(context: CommandContext, { database }: Status): readonly string[] {
  if (database === null) return [];
  return [`PostgreSQL ${database.version}, ${show(database.place)}\n${nodeTable(context, database.nodes)}`];
}

function routes(context: CommandContext, status: Status, nowMs: number): string {
  const stateOf = ({ pause }: Status['routes'][number]): string | null => {
    if (pause !== null) return `paused ${ago(pause.since, nowMs)}`;
    return status.server === null ? null : 'open';
  };
  const rows = status.routes.map((route) => [
    route.route,
    stateOf(route),
    route.connections,
    lastAccepted(route, status),
    route.pause && whyPaused(route.pause),
  ]);
  return table(context, ['ROUTE', 'STATE', 'CONNECTIONS', 'LAST ACCEPTED', 'WHY'], rows, 'No provider is configured.');
}

function lastAccepted(
  { last_accepted_at: at, last_accepted_hour: hour }: Status['routes'][number],
  { queue: known }: Status,
): string | null {
  if (at !== null) return String(when(at));
  if (hour !== null) return `after ${hour.slice(0, 16).replace('T', ' ')}Z`;
  return known.length === 0 ? null : 'never';
}

function queue(context: CommandContext, { queue: lanes }: Status, nowMs: number): string {
  const rows = lanes.map(({ lane, waiting, deferred, oldest_at: oldest }) => [
    lane,
    waiting,
    deferred,
    oldest === null ? null : ago(oldest, nowMs),
  ]);
  return table(context, ['QUEUE', 'WAITING', 'RETRIES', 'OLDEST'], rows, 'The state of the queue is unknown.');
}

function certificateLine({ server, certificate }: Status, nowMs: number): string | null {
  if (server === null) return null;
  if (certificate === null) return server.url.startsWith('https:') ? 'the server does not show one' : 'none: no TLS';
  const { state, days } = certificateEnd(Date.parse(certificate.expires_at), nowMs);
  return `${certificate.subject}, until ${when(certificate.expires_at)} (${state === 'ended' ? 'expired' : `${days} days`})`;
}

function backupLine({ database, last_backup: last, server }: Status, nowMs: number): string {
  if (database !== null) return "PostgreSQL's business";
  const made = last === null ? 'none is known of' : `${when(last.at)} (${ago(last.at, nowMs)} ago), ${last.file}`;
  const next = server?.next_backup_at ?? null;
  return next === null ? made : `${made}; the next ${when(next)}`;
}

function heartbeatsLine({ heartbeats }: Status): { readonly heartbeats?: string } {
  const counts = Object.entries(heartbeats?.counts ?? {}).filter(([, count]) => count > 0);
  if (heartbeats === null || counts.length === 0) return {};
  const { down, counts: countByState } = heartbeats;
  const more = countByState.down - down.length;
  const named = down.length === 0 ? '' : `: ${down.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return { heartbeats: `${counts.map(([state, count]) => `${count} ${state}`).join(', ')}${named}` };
}

/** Returns the line on current maintenance with the time left, if any. */
function maintenanceLine({ maintenance }: Status, nowMs: number): { readonly maintenance?: string } {
  if (maintenance.length === 0) return {};
  const windows = maintenance.map(({ place, until, only }) => {
    const left = shortDuration(Math.max(0, Date.parse(until) - nowMs));
    return `${place} until ${when(until)} (${left} left${only === null ? '' : `, only ${only}`})`;
  });
  return { maintenance: windows.join(', ') };
}

function ago(timestamp: string, nowMs: number): string {
  return shortDuration(Math.max(0, nowMs - Date.parse(timestamp)));
}
