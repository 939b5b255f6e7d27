import type { AcmeProblem } from '../../acme/problem.ts';
import type { ChallengeAnswers } from '../../acme/run-order.ts';
import type { AcmeSettings, Config } from '../../config/config.ts';
import type { Values } from '../../config/example.ts';
import { isLoopback, parseListen } from '../../config/units.ts';
import { OperatorProblem } from '../../process/problem.ts';
import type { Prompter } from './interview.ts';

/** Staging directories by the real ones: untrusted certificates, wide limits. */
const STAGING: Readonly<Record<string, string>> = {
  'https://acme-v02.api.letsencrypt.org/directory': 'https://acme-staging-v02.api.letsencrypt.org/directory',
};
const [DEFAULT_DIRECTORY = ''] = Object.keys(STAGING);

/**
 * Offers to test ACME if the answers ask for it. Skips servers on loopback, which another program such as a systemd
 * socket reaches. Throws `OperatorProblem` if the person then declines to write.
 */
export async function offerTrial(values: Values, person: Prompter, staging = STAGING): Promise<void> {
  const domains = values.get('tls.acme.domains');
  const directory = staging[String(values.get('tls.acme.directory') ?? DEFAULT_DIRECTORY)];
  const listen = parseListen(String(values.get('listen')));
  if (!Array.isArray(domains) || directory === undefined || listen === null || isLoopback(listen.host)) return;
  const question =
    'Test now whether the server would get a certificate? The staging directory has generous limits (yes or no)';
  if ((await person.ask(question, 'yes')).trim() !== 'yes') return;
  person.show('  a moment …');
  const settings = { domains: domains.map(String), contact: null, directory, caFile: null };
  const { adviceOn } = await import('../../acme/problem.ts');
  const problem = await tryOut(settings, listen, null);
  if (problem === null) {
    person.show('  the test succeeded');
    return;
  }
  person.show(`  the test failed: ${problem.sentence}. ${adviceOn(problem, settings)}`);
  const answer = await person.ask('Write the configuration anyway? (yes or no)', 'yes');
  if (answer.trim() !== 'yes') throw new OperatorProblem('nothing was written');
}

/** Orders a certificate and discards it, listening meanwhile like the server. Null: it worked. */
export async function tryOut(
  settings: AcmeSettings,
  listen: Config['listen'],
  ca: string | null,
): Promise<AcmeProblem | null> {
  const { ChallengeAnswers, makeAccountKey, runOrder } = await import('../../acme/run-order.ts');
  const answers = new ChallengeAnswers();
  const http = await listenAs(listen, settings, answers).catch(reasonOf);
  if (typeof http === 'string')
    return { sentence: `no test is possible, because ${http}`, type: null, retryAfterMs: null };
  try {
    const { problem } = await runOrder(
      { settings, ca, accountKey: makeAccountKey(), replaces: null, challenges: ['tls-alpn-01'], pollMs: 1_000 },
      answers,
      new AbortController().signal,
    );
    return problem;
  } finally {
    await http.close(0);
  }
}

async function listenAs(listen: Config['listen'], settings: AcmeSettings, answers: ChallengeAnswers) {
  const { startHttp } = await import('../../http/listeners/listener.ts');
  const { standIn } = await import('../../http/listeners/tls-pair.ts');
  const { ProvenClients } = await import('../../http/limits/proven-clients.ts');
  const { makeSelfSigned } = await import('../../acme/certify.ts');
  const { createLog } = await import('../../server/log.ts');
  return startHttp({
    handler: (_, response) => void response.writeHead(503).end(),
    config: { listen, tls: { acme: settings }, proxy: { trusted: [] }, limits: { connectionsPerAddress: 512 } },
    log: createLog('error', { write: () => undefined }),
    proven: new ProvenClients(),
    ownTls: {
      pair: standIn(await makeSelfSigned(settings.domains, Date.now())),
      answerChallenge: (socket, name) => answers.takeTls(socket, name),
    },
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof OperatorProblem) return error.message;
  throw error;
}
