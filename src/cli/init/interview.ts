import type { Values } from '../../config/example.ts';
import { entriesIn } from '../../config/sources.ts';
import { isLoopback, parseListen } from '../../config/units.ts';
import { HERE } from '../../host/machine.ts';
import { heldPorts } from '../../host/ports.ts';
import { isBehindAnother } from '../../http/client-address.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { PROVIDERS } from '../../providers/table.ts';
import { PROVIDER_NAMES, type ProviderName } from '../../push.ts';
import {
  type Check,
  canListen,
  fits,
  fitsAsList,
  isCertificate,
  isKeyFileOf,
  isKeyOf,
  serviceCanListen,
  serviceCanRead,
} from './answers.ts';

export interface Flags {
  readonly listen?: string;
  readonly baseUrl?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsAcmeDomains?: string;
  readonly tlsAcmeContact?: string;
  readonly tlsAcmeDirectory?: string;
  readonly trustedProxy?: readonly string[];
  /** Flags of the providers: `apnsKeyFile` for `apns.key_file`. */
  readonly [name: string]: unknown;
}

/** A person to ask; null: only flags. */
export interface Prompter {
  /** Asks a question. An empty answer means the default. */
  ask(question: string, byDefault: string): Promise<string>;
  show(text: string): void;
}

interface Question {
  /** The setting's path, or the flag's name. */
  readonly path: string;
  readonly text: string;
  readonly flag: string | undefined;
  readonly byDefault?: string | undefined;
  /** The meaning of no answer; absent: required. */
  readonly without?: string;
  readonly checks: readonly Check[];
  readonly serviceChecks?: readonly Check[];
}

interface InterviewContext {
  readonly earlier: Values;
  /** The service has fewer rights than root. */
  readonly isForService: boolean;
}

/** This answer removes an earlier value. */
const NONE = 'none';

/** Asks for values missing in the flags; checks each at once. Throws `OperatorProblem` for wrong flags. */
export async function interview(
  flags: Flags,
  person: Prompter | null,
  { earlier, isForService }: InterviewContext = { earlier: new Map(), isForService: false },
): Promise<Map<string, unknown>> {
  const values = new Map<string, unknown>();
  const put = async (question: Question): Promise<string | null> => {
    const { path, checks, serviceChecks = [] } = question;
    const before = earlier.get(path);
    const answer = await answerTo(
      {
        ...question,
        byDefault: question.byDefault ?? (typeof before === 'string' ? before : undefined),
        checks: isForService ? [...checks, ...serviceChecks] : checks,
      },
      person,
    );
    if (answer !== null) values.set(question.path, answer);
    return answer;
  };
  await askForAddress(put, flags, earlier);
  const { host } = parseListen(String(values.get('listen'))) ?? { host: '' };
  const isReached = !isLoopback(host) || (isForService && heldPorts(HERE).includes('https'));
  const isByAcme = await askForAcme(put, flags, isReached, earlier);
  const needsCertificate = !isByAcme && (isReached || earlier.has('tls.cert'));
  if (needsCertificate || flags.tlsCert !== undefined) await askForCertificate(put, flags);
  const domains = values.get(ACME);
  if (typeof domains === 'string') values.set(ACME, entriesIn(domains));
  const isEncrypted = values.has(ACME) || values.has('tls.cert');
  const trusted = flags.trustedProxy ?? (await proxyAnswer(values, { person, earlier, isEncrypted, isReached }));
  if (trusted !== null) values.set(PROXY, trusted);
  for (const name of PROVIDER_NAMES) await askForProvider(name, put, flags, earlier);
  return values;
}

const PROXY = 'proxy.trusted';

interface ProxyContext extends Pick<InterviewContext, 'earlier'> {
  readonly person: Prompter | null;
  readonly isEncrypted: boolean;
  readonly isReached: boolean;
}

/**
 * Asks for the proxy's address if clients use another address and the server has no certificate. Null: there is none.
 */
async function proxyAnswer(
  values: Values,
  { person, earlier, isEncrypted, isReached }: ProxyContext,
): Promise<unknown> {
  const before = earlier.get(PROXY) ?? null;
  const listen = parseListen(String(values.get('listen')));
  const baseUrl = values.get('base_url');
  const isElsewhere = typeof baseUrl === 'string' && listen !== null && isBehindAnother({ baseUrl, listen, tls: null });
  if (person === null || isEncrypted || !(isElsewhere || isReached)) return before;
  const answer = await answerTo(
    {
      path: PROXY,
      text: 'Address of the reverse proxy in front, from which it connects',
      flag: undefined,
      byDefault: Array.isArray(before) ? before.join(',') : isReached ? undefined : '127.0.0.1',
      // Unencrypted, the server needs a proxy to listen on the network.
      ...(!isReached && { without: 'no proxy' }),
      checks: [fitsAsList(PROXY)],
    },
    person,
  );
  return answer === null ? null : entriesIn(answer);
}

type Put = (question: Question) => Promise<string | null>;

async function askForAddress(put: Put, flags: Flags, earlier: Values): Promise<void> {
  const listen = 'listen';
  await put({
    path: listen,
    text: 'Address and port to listen on',
    flag: flags.listen,
    byDefault: String(earlier.get(listen) ?? '127.0.0.1:8080'),
    checks: [fits(listen), canListen],
    serviceChecks: [serviceCanListen],
  });
  await put({
    path: 'base_url',
    text: 'Address under which clients reach it, https://…/api',
    flag: flags.baseUrl,
    without: 'the address it listens on',
    checks: [fits('base_url')],
  });
}

const ACME = 'tls.acme.domains';

/** Asks whether to use ACME, unless another program is in front. */
async function askForAcme(put: Put, flags: Flags, isReached: boolean, earlier: Values): Promise<boolean> {
  const { tlsAcmeDomains: flag, tlsAcmeContact, tlsAcmeDirectory, tlsCert, trustedProxy } = flags;
  const before = earlier.get(ACME);
  if (flag === undefined && tlsCert !== undefined) return false;
  const isLikely = isReached && trustedProxy === undefined && !earlier.has('tls.cert');
  if (flag === undefined && before === undefined && !isLikely) return false;
  const answer = await put({
    path: ACME,
    text: "Host name for an automatic certificate from Let's Encrypt, whose terms you accept with it",
    flag,
    byDefault: Array.isArray(before) ? before.join(',') : undefined,
    without: 'certificate files or a reverse proxy',
    checks: [fitsAsList(ACME)],
  });
  if (answer === null) return false;
  const contact = 'tls.acme.contact';
  await put({
    path: contact,
    text: 'Mail address for the certificate authority',
    flag: tlsAcmeContact,
    without: 'none',
    checks: [fits(contact)],
  });
  const directory = 'tls.acme.directory';
  if (tlsAcmeDirectory !== undefined) {
    await put({ path: directory, text: '', flag: tlsAcmeDirectory, checks: [fits(directory)] });
  }
  return true;
}

async function askForCertificate(put: Put, flags: Flags): Promise<void> {
  const cert = await put({
    path: 'tls.cert',
    text: 'TLS certificate with its chain, a PEM file',
    flag: flags.tlsCert,
    without: 'a reverse proxy terminates TLS',
    checks: [isCertificate],
    serviceChecks: [serviceCanRead],
  });
  if (cert === null) return;
  await put({
    path: 'tls.key',
    text: 'Private key of the certificate, a PEM file',
    flag: flags.tlsKey,
    checks: [isKeyOf(cert)],
    serviceChecks: [serviceCanRead],
  });
}

async function askForProvider(name: ProviderName, put: Put, flags: Flags, earlier: Values): Promise<void> {
  const { required, others } = PROVIDERS[name].setup;
  const { setting: path, text, without } = required;
  const checks = [fits(path), isKeyFileOf(name)];
  const answer = await put({ path, text, flag: flagFor(path, flags), without, checks });
  if (answer === null) return;
  const isAsBefore = answer === earlier.get(path);
  for (const { setting, text, fromRequired } of others) {
    const byDefault = isAsBefore ? undefined : fromRequired?.(answer);
    await put({ path: setting, text, flag: flagFor(setting, flags), byDefault, checks: [fits(setting)] });
  }
}

function flagFor(path: string, flags: Flags): string | undefined {
  const flag = flags[path.replaceAll(/[._](.)/g, (_, letter: string) => letter.toUpperCase())];
  return typeof flag === 'string' ? flag : undefined;
}

export async function answerTo(question: Question, person: Prompter | null): Promise<string | null> {
  const { path, text, flag, byDefault, without } = question;
  if (flag !== undefined || person === null) {
    const answer = flag ?? byDefault;
    if (answer === undefined && without !== undefined) return null;
    if (answer === undefined) throw new OperatorProblem(`${path} is missing: pass ${optionFor(path)}`, 2);
    const problem = await firstProblem(question, answer);
    if (problem !== null) throw new OperatorProblem(`${optionFor(path)}: ${problem}`, 2);
    return answer;
  }
  for (;;) {
    // An empty answer means the default, if any.
    const hint = without === undefined ? '' : ` (${byDefault === undefined ? 'empty' : NONE}: ${without})`;
    const answer = (await person.ask(`${text}${hint}`, byDefault ?? '')).trim() || (byDefault ?? '');
    if (without !== undefined && (answer === '' || answer === NONE)) return null;
    const problem = answer === '' ? 'an answer is required' : await firstProblem(question, answer);
    if (problem === null) return answer;
    person.show(`  ${problem}`);
  }
}

async function firstProblem({ checks }: Question, answer: string): Promise<string | null> {
  for (const check of checks) {
    const problem = await check(answer);
    if (problem !== null) return problem;
  }
  return null;
}

function optionFor(path: string): string {
  return `--${path.replaceAll(/[._]/g, '-')}`;
}
