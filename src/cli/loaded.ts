import type { Config } from '../config/config.ts';
import { databaseOf } from '../config/database.ts';
import { BrokenConfig, type FoundDataDir, type LoadOptions, loadConfigFrom } from '../config/load.ts';
import { type Finding, fail } from '../process/finding.ts';
import { packageVersion } from '../process/package.ts';
import { OperatorProblem } from '../process/problem.ts';
import { socketPath } from '../store/data-folder.ts';
import { askForItem } from '../store/transports/socket-client.ts';

export interface Loaded {
  readonly config: Config;
  /** The file that was read; null: none. */
  readonly file: string | null;
  /** The file's mistakes, if `config` is the running server's; null: it is the file's. */
  readonly broken: Broken | null;
}

interface Broken {
  /** A line per mistake, with its place. */
  readonly mistakes: string;
  readonly dataDir: { readonly path: string; readonly from: FoundDataDir['from'] | 'data_dir' };
}

/**
 * Loads the configuration; if unusable, the running server's, found by the data folder. Throws the file's
 * `OperatorProblem` if none answers.
 */
export async function loadOrAsk(sources: LoadOptions): Promise<Loaded> {
  try {
    const loaded = loadConfigFrom(sources);
    return (await withUnreadableFile(loaded)) ?? { ...loaded, broken: null };
  } catch (error) {
    if (!(error instanceof BrokenConfig) || error.dataDir.isGuess) throw error;
    const { mistakes, dataDir, file } = error;
    const asked = await askForConfig(dataDir.path);
    if (asked instanceof OperatorProblem) throw alsoUnanswered(error, asked);
    if (asked === null) throw error;
    return { config: asked, file, broken: { mistakes, dataDir } };
  }
}

/** Checks the files that every database needs. Null: usable, or no server answers. */
async function withUnreadableFile({ config, file }: Omit<Loaded, 'broken'>): Promise<Loaded | null> {
  try {
    databaseOf(config);
    return null;
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    const asked = await askForConfig(config.dataDir);
    if (asked === null || asked instanceof OperatorProblem) return null;
    const dataDir = { path: config.dataDir, from: 'data_dir' } as const;
    return { config: asked, file, broken: { mistakes: error.what, dataDir } };
  }
}

/** The running server is, say, of another version. */
export function alsoUnanswered({ mistakes, code }: BrokenConfig, asked: OperatorProblem): OperatorProblem {
  return new OperatorProblem(`${mistakes}\n  The running server cannot be asked: ${asked.message}`, 2, { code });
}

/** Returns the running server's configuration, or why it cannot be asked; null: none runs. */
export async function askForConfig(dataDir: string): Promise<Config | OperatorProblem | null> {
  try {
    const item = await askForItem({ path: socketPath(dataDir), version: packageVersion(), call: 'configuration' });
    // The server may see its folder elsewhere, for example in a container.
    return item === null ? null : { ...(item as Config), dataDir };
  } catch (error) {
    if (error instanceof OperatorProblem) return error;
    throw error;
  }
}

export const STILL = 'The running server still has the old configuration';

/** Notes that the command goes on without the file. */
export function noteOnBroken({ mistakes, dataDir: { path, from } }: Broken): string {
  return `pushctl: ${mistakes}\n  ${STILL}. It was asked on ${path} (${from}).`;
}

export function withBroken({ broken }: Pick<Loaded, 'broken'>, findings: readonly Finding[]): readonly Finding[] {
  if (broken === null) return findings;
  const { mistakes, dataDir } = broken;
  const message = `${mistakes}\n${STILL}. It was asked on ${dataDir.path} (${dataDir.from})`;
  const finding = fail('configuration', message, 'fix that before the next restart: pushctl config check');
  const isRight = ({ check, status }: Finding) => check === 'configuration' && status === 'ok';
  return [finding, ...findings.filter((other) => !isRight(other))];
}
