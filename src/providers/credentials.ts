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

/** Why a configured provider is off, for the operator. Events for its devices wait. */
export interface ProviderProblem {
  readonly provider: ProviderName;
  readonly message: string;
}

/** A provider that is not named is not configured. */
export type ProviderFiles = Partial<Configured> & Partial<Pick<Config, 'handedOver'>>;

/**
 * Reads the key files of the configured providers. One that cannot be used is left out, and the problem says why, with
 * no word of the file's content.
 */
export function readCredentials(config: ProviderFiles, installation: Installation): ReadCredentials {
  // Without the rest of the type, so that the compiler knows the table of each provider by its name.
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

/** The files that the configuration names, of all configured providers. */
export function providerFiles(config: Partial<Configured>): readonly NamedFile[] {
  return PROVIDER_NAMES.flatMap((name) => filesOf(name, config));
}

function filesOf<P extends ProviderName>(name: P, config: Partial<Configured>): readonly NamedFile[] {
  const own = config[name];
  return own ? PROVIDERS[name].credentials.files(own) : [];
}

/** No key file depends on it. */
const NOWHERE: Installation = { baseUrl: '', vapid: null };

/** Returns the problem of a provider's key file; null: none, or it has no key file. */
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
