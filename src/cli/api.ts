import { isLoopback } from '../config/units.ts';
import { OperatorProblem } from '../problem.ts';

const DEADLINE_MS = 30_000;
/** Of an answer, unpacked. pushctl's own have a few hundred bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;

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
    return { status: answer.status, body: JSON.parse(await textOf(answer)) };
  } catch (error) {
    throw new OperatorProblem(
      `no answer from ${address}: ${reason(error)}. Is the server running, and is this its address?`,
    );
  }
}

/** Rejects where there is more than any answer of pushctl has; the rest is not taken. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`it is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
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
