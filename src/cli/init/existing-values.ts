import { dirname, resolve } from 'node:path';
import type { Values } from '../../config/example.ts';
import { listSettings, readConfigSchema } from '../../config/settings.ts';
import { isTable, readTable, type Table } from '../../config/sources.ts';
import { KEY_FILES, REQUIRED_SETTINGS } from '../../providers/table.ts';

/** Files that init asks about. Init resolves names from its working folder, the configuration from its own. */
const FILES = [...KEY_FILES, 'tls.cert', 'tls.key', 'tls.acme.ca_file'];

/** Reads an earlier configuration's values by path. Throws an `OperatorProblem` if unreadable. */
export function earlierValues(file: string): Values {
  const objects = listSettings(readConfigSchema()).flatMap(({ kind, path }) => (kind === 'object' ? [path] : []));
  const entries = flat(readTable(file), '', objects);
  return new Map(
    entries.map(([path, value]) => [path, FILES.includes(path) ? resolve(dirname(file), String(value)) : value]),
  );
}

/** Flattens tables to paths, except settings that are tables. */
function flat(table: Table, prefix: string, objects: readonly string[]): readonly (readonly [string, unknown])[] {
  return Object.entries(table).flatMap(([name, value]) => {
    const path = prefix + name;
    return isTable(value) && !objects.includes(path) ? flat(value, `${path}.`, objects) : [[path, value] as const];
  });
}

/** Each table's required settings. Inner tables come before outer ones. */
const REQUIRED = [...REQUIRED_SETTINGS, 'tls.acme.domains', 'tls.cert'];

function requiredFor(path: string): string | undefined {
  return REQUIRED.find((required) => path.startsWith(required.slice(0, required.lastIndexOf('.') + 1)));
}

/** Answers that may remove an earlier value. */
const ASKED = ['base_url', 'proxy.trusted'];

/** Adds earlier values that init does not ask for. */
export function carriedOver(answers: Values, earlier: Values): Map<string, unknown> {
  const isWanted = (path: string) => {
    const required = requiredFor(path);
    return required === undefined || (answers.has(required) && path !== required);
  };
  return new Map([...[...earlier].filter(([path]) => isWanted(path) && !ASKED.includes(path)), ...answers]);
}
