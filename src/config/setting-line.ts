import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'smol-toml';

const TABLE = /^\s*\[\s*([^[\]]+?)\s*\]/;
const KEY = /^\s*([^\s=#[][^=#]*?)\s*=/;

/** Returns a setting's line (from 1 on), else its table's; null: neither is there. */
export function lineOf(text: string, path: string): number | null {
  let table = '';
  let around: number | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const [, header] = TABLE.exec(line) ?? [];
    const [, key] = KEY.exec(line) ?? [];
    if (header !== undefined) table = `${plainName(header)}.`;
    const here = header === undefined ? table + plainName(key ?? '') : plainName(header);
    if (header === undefined && key === undefined) continue;
    if (here === path) return index + 1;
    if (path.startsWith(`${here}.`)) around ??= index + 1;
  }
  return around;
}

function plainName(name: string): string {
  return name.replaceAll(/["'\s]/g, '');
}

/** Returns the data folder of an unparsable file; null: none. */
export function dataDirDespite(file: string): string | null {
  try {
    const lines = readFileSync(file, 'latin1').split('\n');
    const end = lines.findIndex((line) => TABLE.test(line));
    const line = lines.slice(0, end === -1 ? lines.length : end).find((text) => /^\s*data_dir\s*=/.test(text));
    const named = line === undefined ? null : parse(Buffer.from(line, 'latin1').toString('utf8')).data_dir;
    return typeof named === 'string' && named !== '' ? resolve(dirname(file), named) : null;
  } catch {
    return null;
  }
}
