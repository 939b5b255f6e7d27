import { dirname, resolve } from 'node:path';
import type { Values } from '../../config/example.ts';
import { isTable, readTable } from '../../config/sources.ts';
import { KEY_FILES, REQUIRED_SETTINGS } from '../../providers/table.ts';

/**
 * The files that init asks about: it sees names without a folder from where it runs, a configuration from where it
 * lies.
 */
const FILES = [...KEY_FILES, 'tls.cert', 'tls.key'];

/** What an earlier configuration says, by the settings' paths. Throws an `OperatorProblem` where it cannot be read. */
export function earlierValues(file: string): Values {
  const entries = Object.entries(readTable(file)).flatMap(([name, value]) =>
    isTable(value)
      ? Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, one] as const)
      : [[name, value] as const],
  );
  return new Map(
    entries.map(([path, value]) => [path, FILES.includes(path) ? resolve(dirname(file), String(value)) : value]),
  );
}

/** The setting that each table cannot do without, by the name of the table. */
const REQUIRED_OF = new Map([...REQUIRED_SETTINGS, 'tls.cert'].map((path) => [path.split('.')[0], path]));

/** The answers, with the earlier values of settings that init does not ask for. */
export function carriedOver(answers: Values, earlier: Values): Map<string, unknown> {
  const isWanted = (path: string) => {
    const required = REQUIRED_OF.get(path.split('.')[0]);
    return required === undefined || (answers.has(required) && path !== required);
  };
  return new Map([...[...earlier].filter(([path]) => isWanted(path) && path !== 'base_url'), ...answers]);
}
