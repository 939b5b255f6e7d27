import type { Clock } from '../../clock.ts';
import { baseUrlOf, type Config } from '../../config/config.ts';
import { readCredentials } from '../../providers/credentials.ts';
import type { Installation } from '../../providers/provider.ts';
import { checkCertificate } from './certificate.ts';
import { checkClock } from './clock.ts';
import { checkDatabase, checkDisk } from './database.ts';
import { checkDataFolder, checkListen, checkNamedFiles, checkSettingsFile } from './files.ts';
import type { Finding } from './finding.ts';
import { checkCredentials, checkProviders } from './providers.ts';
import { servedCertificate } from './served-certificate.ts';
import { checkServer } from './server.ts';
import { checkUnit, checkUnitInForce, isRestarting, reportOfUnit } from './unit.ts';

export interface Examined {
  readonly config: Config;
  /** The configuration file; null: none. */
  readonly file: string | null;
  readonly version: string;
  readonly clock: Clock;
}

/** Looks at everything that can keep a push from arriving. Never rejects, changes nothing, and names no secret. */
export async function examine({ config, file, version, clock }: Examined): Promise<readonly Finding[]> {
  const credentials = readCredentials(config, installationOf(config));
  const unit = await reportOfUnit();
  const findings = await Promise.all([
    checkSettingsFile(file, config),
    checkNamedFiles(config, file),
    checkListen(config, file),
    checkDataFolder(config.dataDir),
    checkStore(config),
    checkClock(credentials.settings, clock),
    checkProviders(credentials, clock),
    servedCertificate(config).then((served) => checkCertificate(config, clock.wallMs(), served)),
    checkServer(config, version, unit !== null && isRestarting(unit.state)),
    checkUnit(unit),
    checkUnitInForce({ path: (file) => file }),
  ]);
  return findings.flat();
}

/** The database, wherever it is. In the data folder it needs room there. */
async function checkStore(config: Config): Promise<readonly Finding[]> {
  if (config.store === null) return [...(await checkDatabase(config.dataDir)), ...checkDisk(config.dataDir)];
  const { checkPostgres } = await import('./postgres.ts');
  return checkPostgres(config);
}

/** The part that needs only files: no server or provider is asked, and the data folder need not exist. */
export function examineFiles({ config, file, clock }: Omit<Examined, 'version'>): readonly Finding[] {
  return [
    ...checkSettingsFile(file, config),
    ...checkNamedFiles(config, file),
    ...checkListen(config, file),
    ...checkCredentials(readCredentials(config, installationOf(config))),
    ...checkCertificate(config, clock.wallMs()),
  ];
}

/** Doctor sends no push, so it needs no VAPID key. */
function installationOf(config: Config): Installation {
  return { baseUrl: baseUrlOf(config), vapid: null };
}
