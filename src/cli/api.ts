import { isLoopback } from '../config/units.ts';
import { OperatorProblem } from '../problem.ts';

const DEADLINE_MS = 30_000;

/** POST /v1/events. `baseUrl` ends with `/api`. Throws OperatorProblem where no JSON answer comes. */
export async function postEvent(
  baseUrl: string,
  key: string,
  event: Readonly<Record<string, string | number | undefined>>,
): Promise<{ status: number; body: unknown }> {
  const address = eventsAddress(baseUrl);
  try {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, Accept: 'application/json', 'Content-Type': 'application/json' },
      body: JSON.stringify(event),
      // Following one would hand the key to somebody else.
      redirect: 'error',
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    return { status: answer.status, body: await answer.json() };
  } catch (error) {
    throw new OperatorProblem(
      `no answer from ${address}: ${reason(error)}. Is the server running, and is this its address?`,
    );
  }
}

function eventsAddress(baseUrl: string): URL {
  const address = URL.parse(`${baseUrl.replace(/\/$/, '')}/v1/events`);
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new OperatorProblem(
      `"${baseUrl}" is no address of a service: expected one like https://push.example.com/api`,
      2,
    );
  }
  if (address.protocol === 'http:' && !isLoopback(address.hostname.replace(/^\[|\]$/g, ''))) {
    throw new OperatorProblem(`${address.origin} would get the API key unencrypted: use its https address`, 2);
  }
  return address;
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `none within ${DEADLINE_MS / 1000} seconds`;
  if (error instanceof SyntaxError) return 'it is not JSON';
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  return code ?? message;
}
