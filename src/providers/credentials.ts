import type { Config, Configured } from '../config/config.ts';
import { readablePath, readNamedFile, whyUnreadable } from '../config/named-file.ts';
import { PROVIDER_NAMES, type ProviderName } from '../push.ts';
import { Unusable } from './key-files.ts';
import type { Installation, NamedFile, ReadFile } from './provider.ts';
import { PROVIDERS, type ProviderSettings } from './table.ts';

export interface ReadCredentials {
  readonly settings: ProviderSettings;
  readonly problems: readonly ProviderProblem[];
}

/** Why a configured provider is off. Its devices' events wait. */
export interface ProviderProblem {
  readonly provider: ProviderName;
  readonly message: string;
}

/** Absent providers are not configured. */
type ProviderFiles = Partial<Configured> & Partial<Pick<Config, 'handedOver'>>;

/** Reads configured key files. Omits unusable ones, with a problem that quotes nothing of the file. */
export function readCredentials(config: ProviderFiles, installation: Installation): ReadCredentials {
  // Lets the compiler find each provider's table by name.
  const configured: Partial<Configured> = config;
  const problems: ProviderProblem[] = [];
  const read: ReadFile = (path, setting) => readSecret(path, readablePath(config, path), setting);
  const settings = Object.assign({}, ...PROVIDER_NAMES.map(attempt)) as ProviderSettings;
  return { settings, problems };

  function attempt<P extends ProviderName>(provider: P): ProviderSettings {
    const own = configured[provider];
    if (!own) return {};
    try {
      return { [provider]: PROVIDERS[provider].credentials.read(own, read, installation) };
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      problems.push({ provider, message: error.message });
      return {};
    }
  }
}

export function providerFiles(config: Partial<Configured>): readonly NamedFile[] {
  return PROVIDER_NAMES.flatMap((name) => filesOf(name, config));
}

function filesOf<P extends ProviderName>(name: P, config: Partial<Configured>): readonly NamedFile[] {
  const own = config[name];
  return own ? PROVIDERS[name].credentials.files(own) : [];
}

/** No key file depends on it. */
const NOWHERE: Installation = { baseUrl: '', vapid: null };

/** Returns a key file's problem; null: none, or no key file. */
export function keyFileProblem<P extends ProviderName>(name: P, file: string): string | null {
  const { credentials, setup } = PROVIDERS[name];
  if (setup.trial === undefined) return null;
  try {
    credentials.read(setup.trial(file), (path, setting) => readSecret(path, path, setting), NOWHERE);
    return null;
  } catch (error) {
    if (error instanceof Unusable) return error.message;
    throw error;
  }
}

function readSecret(path: string, place: string, setting: string): string {
  try {
    return readNamedFile(place).toString('utf8');
  } catch (error) {
    throw new Unusable(`${setting}: ${path} ${whyUnreadable(error)}.`);
  }
}
