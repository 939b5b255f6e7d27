import { createHash } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { readablePath, readNamedFile } from '../config/named-file.ts';
import { sharedSettings } from '../config/shared-settings.ts';
import type { Clock } from '../process/clock.ts';
import { providerFiles } from '../providers/credentials.ts';

/** Keys may be replaced while the server runs. */
const READ_EVERY_MS = 60_000;
const DIGEST_DIGITS = 12;

/** Returns what machines sharing a database compare: settings, and key files' digests, which reveal no key. */
export function reportedSettings(
  config: Config,
  clock: Pick<Clock, 'steadyMs'>,
): () => Readonly<Record<string, string>> {
  const settings = sharedSettings(config);
  let digests: Readonly<Record<string, string>> = {};
  let nextReadMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.steadyMs() >= nextReadMs) {
      nextReadMs = clock.steadyMs() + READ_EVERY_MS;
      digests = digestsOf(config);
    }
    return { ...settings, ...digests };
  };
}

function digestsOf(config: Config): Readonly<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const { setting, file, isSecret } of providerFiles(config)) {
    const digest = file === null || !isSecret ? null : digestOf(readablePath(config, file));
    if (digest !== null) digests[setting] = `sha256 ${digest}`;
  }
  return digests;
}

/** null: unreadable, which is reported elsewhere. */
function digestOf(file: string): string | null {
  try {
    return createHash('sha256').update(readNamedFile(file)).digest('hex').slice(0, DIGEST_DIGITS);
  } catch {
    return null;
  }
}
