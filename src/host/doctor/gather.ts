import type { X509Certificate } from 'node:crypto';
import { baseUrlOf, type Config, SYSTEM_CONFIG_FILE } from '../../config/config.ts';
import { LEAST_REPEAT_OF_NOTIFICATIONS_S as LEAST_S } from '../../contract/ringing.ts';
import { oldBackupFindings, storedFindings } from '../../health/findings.ts';
import type { ServerStatus } from '../../health/server-status.ts';
import { type Finding, LATE_INTERVALS, ok, warn } from '../../process/finding.ts';
import { packageTimeMs } from '../../process/package.ts';
import { readCredentials } from '../../providers/credentials.ts';
import type { Installation } from '../../providers/provider.ts';
import type { StoredStatus } from '../../store/stored-status.ts';
import { HERE } from '../machine.ts';
import { withFullDisk, withoutRepeats } from './causes.ts';
import { checkCertificate, checkOwnCertificate, servedCertificate } from './certificates.ts';
import { lookIntoFolder } from './database.ts';
import type { Examined, Gathered, LookedInto } from './examined.ts';
import {
  checkBackupFolder,
  checkDataDir,
  checkDataFolder,
  checkListen,
  checkNamedFiles,
  checkSettingsFile,
  unusableBackupFolder,
} from './files.ts';
import { checkCredentials, troubledCredentials } from './providers.ts';
import { askServer, checkSockets, socketStates } from './server.ts';
import { checkUnit, checkUnitInForce, isRestarting, reportOfUnit } from './unit.ts';

/**
 * Gathers problems for `status` and `doctor`: the server's list, service, database and files. Changes nothing, asks
 * nothing outside, names no secret. `isDeep`: includes slow checks.
 */
export async function gather(examined: Examined, isDeep: boolean): Promise<Gathered> {
  const { config, file, version, clock } = examined;
  const unit = reportOfUnit();
  const sockets = file === SYSTEM_CONFIG_FILE && unit !== null ? socketStates(HERE) : {};
  const { server, findings: ofServer } = await askServer(config, version, {
    isRestarting: unit !== null && isRestarting(unit.state),
    held: sockets.https ?? null,
  });
  const [database, certificate] = await Promise.all([
    lookIntoDatabase(config, server?.stored ?? null, isDeep),
    servedCertificate(config, server?.url),
  ]);
  const { stored, shared = null } = database;
  const findings = [
    ...checkFiles(examined, { isRunning: server !== null, served: certificate }),
    ...unusableBackupFolder(config, file),
    ...troubledCredentials(readCredentials(config, installationOf(config)), server?.routes ?? []),
    ...checkDataFolder(config.dataDir),
    ...database.findings,
    ...checkInsisting(config, stored),
    // A server that runs reports these itself.
    ...(server === null && stored !== null ? storedFindings(stored) : []),
    ...(server === null ? oldBackups(examined, stored) : []),
    ...ofServer,
    ...checkUnit(unit),
    ...checkSockets(sockets, server, config),
    ...checkUnitInForce(HERE),
    ...checkAge(packageTimeMs(), clock.wallMs()),
  ];
  return { server, stored, shared, certificate, findings: withFullDisk(withoutRepeats(findings)) };
}

function oldBackups({ config: { backup }, clock }: Examined, stored: ServerStatus['stored']): readonly Finding[] {
  return backup === null ? [] : oldBackupFindings(stored?.lastBackup ?? null, backup.everyMs, clock.wallMs());
}

/** Checks what the configuration names, without a server or data folder. */
export function examineConfig(examined: Omit<Examined, 'version'>): readonly Finding[] {
  const { config, file } = examined;
  return withoutRepeats([
    ...checkFiles(examined),
    ...checkBackupFolder(config, file),
    ...checkCredentials(readCredentials(config, installationOf(config))),
    ...checkStyle(config),
  ]);
}

function checkFiles(
  { config, file, clock }: Omit<Examined, 'version'>,
  running: { readonly isRunning: boolean; readonly served: X509Certificate | null } = {
    isRunning: false,
    served: null,
  },
): readonly Finding[] {
  return [
    ...checkSettingsFile(file, config),
    ...checkNamedFiles(config, file),
    ...checkListen(config, file),
    ...checkDataDir(config, file),
    ...checkBackupIsKnown(config),
    ...checkCertificate(config, clock.wallMs(), running.served),
    ...checkOwnCertificate(config, clock.wallMs(), running),
  ];
}

/** Only the audit log knows the last backup. */
function checkBackupIsKnown({ backup, retention }: Pick<Config, 'backup' | 'retention'>): Finding[] {
  if (backup === null || retention.auditMs >= LATE_INTERVALS * backup.everyMs) return [];
  const message = 'is too short to report old backups: their entries leave the audit log before they are late';
  return [warn('retention.audit', message, 'set it to at least twice backup.every')];
}

/** No push is sent, so no VAPID key is needed. */
export function installationOf(config: Config): Installation {
  return { baseUrl: baseUrlOf(config), vapid: null };
}

/** `reported`: what the running server said of it. */
async function lookIntoDatabase(
  config: Config,
  reported: ServerStatus['stored'],
  isDeep: boolean,
): Promise<LookedInto> {
  if (config.store === null) return lookIntoFolder(config.dataDir, reported, isDeep);
  const { lookIntoPostgres } = await import('./postgres.ts');
  return lookIntoPostgres(config, reported, isDeep);
}

const LIMIT = 'after a burst, Google passes on only one notification per device every three minutes';
const ADVICE =
  'set --repeat to 3m or more (pushctl channel insist), or let the app draw its notifications: fcm.style = "data"';
/** Named in a finding. */
const NAMED = 3;

/** Checks for channels whose reminders Google would throttle. `stored`: another version's may lack them. */
export function checkInsisting(config: Pick<Config, 'fcm'>, stored: Partial<StoredStatus> | null): Finding[] {
  const often = stored?.insistOften ?? [];
  if (config.fcm?.style !== 'notification' || often.length === 0) return [];
  const names = `${often.slice(0, NAMED).join(', ')}${often.length > NAMED ? ' and others' : ''}`;
  return [warn('reminders', `are sent more often than every ${LEAST_S} s in ${names}; ${LIMIT}`, ADVICE)];
}

/** The configuration alone knows no channels. */
export function checkStyle(config: Pick<Config, 'fcm'>): Finding[] {
  if (config.fcm?.style !== 'notification') return [];
  return [ok('reminders', `${LIMIT}: set --repeat of insistent channels to ${LEAST_S} s or more`)];
}

const DAY_MS = 86_400_000;
const MONTH_MS = 30.44 * DAY_MS;
/** Old versions lack fixes, including those of their Node.js. */
const OLD_MS = 6 * MONTH_MS;

/** Checks this version's age: nothing else reminds of updates. `madeAtMs`: null if unknown. */
export function checkAge(madeAtMs: number | null, nowMs: number): Finding[] {
  if (madeAtMs === null) return [];
  const message = `this version is ${ageOf(madeAtMs, nowMs)} old`;
  if (nowMs - madeAtMs < OLD_MS) return [ok('version', message)];
  return [warn('version', message, 'check for a newer version; its CHANGELOG.md lists the fixes')];
}

/** "3 days", "11 months". */
export function ageOf(madeAtMs: number, nowMs: number): string {
  const ms = nowMs - madeAtMs;
  if (ms < DAY_MS) return 'less than a day';
  const [count, unit] = ms < 2 * MONTH_MS ? [ms / DAY_MS, 'day'] : [ms / MONTH_MS, 'month'];
  return `${Math.floor(count)} ${unit}${count < 2 ? '' : 's'}`;
}
