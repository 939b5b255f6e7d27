import { createPrivateKey, X509Certificate } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { findMistakes } from '../../config/check.ts';
import type { Values } from '../../config/example.ts';
import { readNamedFile, whyUnreadable } from '../../config/named-file.ts';
import { listSettings, readConfigSchema } from '../../config/settings.ts';
import { entriesIn, isTable, place, readTable, type Table } from '../../config/sources.ts';
import { parseListen } from '../../config/units.ts';
import { tryToListen } from '../../host/doctor/server.ts';
import { type MissingRight, whyServiceCannotListen, whyServiceCannotRead } from '../../host/service-rights.ts';
import { keyFileProblem } from '../../providers/credentials.ts';
import { KEY_FILES, REQUIRED_SETTINGS } from '../../providers/table.ts';
import type { ProviderName } from '../../push.ts';

/** Returns what is wrong; null: nothing. */
export type Check = (answer: string) => Promise<string | null>;

/** Placeholders for later answers, so that each is judged alone. */
const WITH_TLS = [
  ['tls.cert', '-'],
  ['tls.key', '-'],
] as const;

export function fits(path: string): Check {
  return async (answer) => firstMistake(path, new Map([...WITH_TLS, [path, answer]]));
}

export function fitsAsList(path: string): Check {
  return async (answer) => firstMistake(path, new Map([[path, entriesIn(answer)]]));
}

function firstMistake(path: string, values: Values): string | null {
  return mistakesIn(values).find((mistake) => mistake.startsWith(path)) ?? null;
}

/** Checks that this user may listen there. Taken is fine: pushctl may hold it. */
export const canListen: Check = async (answer) => {
  const { host, port } = parseListen(answer) ?? { host: '', port: 0 };
  const code = await tryToListen(host, port);
  if (code === null || code === 'EADDRINUSE') return null;
  return code === 'EACCES'
    ? `only root may listen on port ${port}. Choose a port from 1024 on`
    : `this machine has no address ${host} (${code})`;
};

/** Checks that the service may listen there; root has more rights. */
export const serviceCanListen: Check = async (answer) =>
  described(whyServiceCannotListen(parseListen(answer)?.port ?? 0));
export const serviceCanRead: Check = async (answer) => described(whyServiceCannotRead(answer));

function described(right: MissingRight | null): string | null {
  return right && `${right.message}: ${right.advice}`;
}

export const isCertificate: Check = async (answer) =>
  lookInto(answer, (pem) => {
    try {
      new X509Certificate(pem);
      return null;
    } catch {
      return `${answer} holds ${contentsOf(pem)}. Expected a certificate in PEM form`;
    }
  });

/** Checks that the answer is the private key of the certificate in that file. */
export function isKeyOf(certificate: string): Check {
  return async (answer) =>
    lookInto(answer, (pem) => {
      try {
        const key = createPrivateKey(pem);
        const isPair = new X509Certificate(readNamedFile(resolve(certificate))).checkPrivateKey(key);
        return isPair ? null : `${answer} is not the private key of ${certificate}`;
      } catch {
        return `${answer} holds ${contentsOf(pem)}. Expected a private key in PEM form without a passphrase`;
      }
    });
}

function lookInto(file: string, problemOf: (text: string) => string | null): string | null {
  try {
    return problemOf(readNamedFile(resolve(file)).toString('utf8'));
  } catch (error) {
    return `${file} ${whyUnreadable(error)}`;
  }
}

/** Returns a PEM file's kind by its first label (RFC 7468, section 2). */
function contentsOf(pem: string): string {
  const [, label] = /-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(pem) ?? [];
  if (label === undefined) return 'nothing in PEM form';
  return label.endsWith('PRIVATE KEY') ? `a private key (${label})` : `something else (${label})`;
}

/** Checks for a key file of that provider, if it has any. */
export function isKeyFileOf(provider: ProviderName): Check {
  return async (answer) => keyFileProblem(provider, resolve(answer));
}

export function mistakesIn(values: Values): readonly string[] {
  const table: Table = {};
  for (const [path, value] of values) place(table, path, value);
  const schema = readConfigSchema();
  return findMistakes(schema, listSettings(schema), {
    file: null,
    text: '',
    values: table,
    fromEnvironment: new Map(),
    handedOver: {},
    mistakes: [],
  });
}

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
