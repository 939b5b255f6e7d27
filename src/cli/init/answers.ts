import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { findMistakes } from '../../config/check.ts';
import type { Values } from '../../config/example.ts';
import { listSettings, readSchema } from '../../config/settings.ts';
import type { Table } from '../../config/sources.ts';
import { parseListen } from '../../config/units.ts';
import { tryToListen } from '../../host/doctor/server.ts';
import { readCredentials } from '../../providers/credentials.ts';

/** What is wrong with an answer; null: nothing. */
export type Check = (answer: string) => Promise<string | null>;

/** Stand in for the answers to come, so that an answer is judged by itself. */
const WITH_TLS = [
  ['tls.cert', '-'],
  ['tls.key', '-'],
] as const;

/** By the configuration's own schema. */
export function fits(path: string): Check {
  return async (answer) => {
    const mistakes = mistakesIn(new Map([...WITH_TLS, [path, answer]]));
    return mistakes.find((mistake) => mistake.startsWith(path)) ?? null;
  };
}

/** An address of this machine that this user may listen on. A taken one is fine: pushctl itself may have it. */
export const canListen: Check = async (answer) => {
  const { host, port } = parseListen(answer) ?? { host: '', port: 0 };
  const code = await tryToListen(host, port);
  if (code === null || code === 'EADDRINUSE') return null;
  return code === 'EACCES'
    ? `only root may listen on port ${port}: choose one from 1024 on`
    : `this machine has no address ${host} (${code})`;
};

export const isReadable: Check = async (answer) => {
  try {
    readFileSync(resolve(answer));
    return null;
  } catch (error) {
    return `${answer} cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
};

export const isApnsKey: Check = async (answer) => {
  const ids = { keyId: '', teamId: '', topic: '', endpointProduction: '', endpointSandbox: '', caFile: null };
  return problemOf({ apns: { keyFile: resolve(answer), ...ids }, fcm: null });
};

export const isServiceAccount: Check = async (answer) => {
  const rest = { style: 'data', perMinute: 1, endpoint: '', tokenEndpoint: '', caFile: null } as const;
  return problemOf({ apns: null, fcm: { serviceAccountFile: resolve(answer), ...rest } });
};

function problemOf(config: Parameters<typeof readCredentials>[0]): string | null {
  return readCredentials(config).problems[0]?.message ?? null;
}

/** Every mistake in the answers together. */
export function mistakesIn(values: Values): readonly string[] {
  const table: Table = {};
  for (const [path, value] of values) {
    const [name = '', inner] = path.split('.');
    if (inner === undefined) table[name] = value;
    else table[name] = { ...(table[name] as Table | undefined), [inner]: value };
  }
  const schema = readSchema();
  return findMistakes(schema, listSettings(schema), {
    file: null,
    values: table,
    fromEnvironment: new Map(),
    mistakes: [],
  });
}

/** Apple names the file after the key: `AuthKey_ABC123DEFG.p8`. */
export function keyIdIn(file: string): string | undefined {
  return /^AuthKey_([A-Z0-9]{10})\.p8$/.exec(basename(file))?.[1];
}
