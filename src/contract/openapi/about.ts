import { API_ERRORS } from '../errors.ts';

/** The part of the description that depends on the installation. */
export interface ApiSettings {
  /** Where clients reach the service: ends with `/api`, and is absolute where that is known. */
  readonly baseUrl: string;
  readonly limits: { readonly burstPerMinute: number; readonly connectionPerMinute: number };
  readonly retention: {
    readonly eventsMs: number;
    readonly deliveriesMs: number;
    /** Beyond it the oldest events go early; null: no bound. */
    readonly maxSizeBytes: number | null;
  };
  /** How long an event may take to be sent. */
  readonly delivery: { readonly ttlMs: number };
}

/** The info object of the document. */
export function infoOf(installation: ApiSettings): object {
  return {
    title: 'Push event ingest API',
    version: '1',
    summary: 'Post an event, and every device that is subscribed to its channel gets one push.',
    description: [ANSWERS, ERRORS, VERSIONS, limitsOf(installation), retentionOf(installation)].join('\n\n'),
    contact: contactOf(installation.baseUrl),
  };
}

const ANSWERS = `## Requests and answers

- Integrators send an API key as Bearer token, people a session token from \`POST /v1/session\`, or their browser its cookie.
- A session in a cookie is asked for the password or a fresh pairing code, once in ten minutes, before keys are issued or rotated and before members are added, paired, changed or removed: 401 \`confirm_identity\`, then \`POST /v1/session/confirmation\`.
- Bodies are JSON objects in UTF-8; fields that are not known are ignored. In POST and PUT, null and blank texts in optional fields count as absent; in PATCH, null clears a field if its schema allows null. Lengths count Unicode code points. Texts are well-formed Unicode: no half of a surrogate pair.
- A list refuses a query parameter that it does not know, or not from such a caller, with a 422 that names it.
- Answers are JSON whatever \`Accept\` says, and carry \`X-Request-Id\`. HEAD goes wherever GET goes.
- An error has a \`message\` for people and a stable \`code\` for programs; a 404 has the message only, a 422 has it and \`errors\` for each field.
- After a 5xx or a lost answer, post an event again with the same \`idempotency_key\` (or header \`Idempotency-Key\`): it is sent and counted once.
- Times are ISO 8601 with milliseconds and an explicit offset. Months and days are those of UTC.`;

/** Every code with what to do about it, by status. The same table stands in docs/errors.md. */
export function errorTable(): string {
  const lines = Object.entries<{ status: number; message: string; advice?: string }>(API_ERRORS)
    .filter(([, { status }]) => status !== 404)
    .sort(([, one], [, other]) => one.status - other.status)
    .map(([code, { status, message, advice }]) => `| ${status} | \`${code}\` | ${markdown(message)} | ${advice} |`);
  return ['| Status | `code` | Means | Do |', '|---|---|---|---|', ...lines].join('\n');
}

/** `<` would begin a tag. */
function markdown(text: string): string {
  return text.replaceAll('<', '\\<');
}

const ERRORS = `## Errors

${errorTable()}`;

const VERSIONS = `## Versions

- Within \`/v1\` there come new routes and methods, fields and header fields of answers, keys of pushes, error codes, words of a set and kinds of changes in the stream; requests gain optional fields and lists filters. The words of \`message\` may change.
- What is there keeps its name, type and meaning; a request that is valid stays valid, and does the same; an error keeps its status and \`code\`; ids, keys and tokens keep their forms.
- A client ignores fields that it does not know, and takes words that it does not know for "something else": an unknown error by its status. Pages may be shorter than asked for (\`next\` alone says whether there is more), streams may end, and any request may be answered with 429 or 503 and \`Retry-After\`.
- What is to go is marked as \`deprecated\` here, and its answers carry \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594), twelve months or more before it does. It goes with a new version in the path, never within one.
- docs/versioning.md, which comes with the program, has it in full.`;

function limitsOf({ limits: { burstPerMinute, connectionPerMinute } }: ApiSettings): string {
  return `## Limits

- An API key may post ${burstPerMinute} times in any 60 seconds unless it carries a limit of its own, and read as often; \`RateLimit\` and \`RateLimit-Policy\` show what is left.
- A workspace may have a monthly allowance of events; where it refuses an event, these fields have the month's limit, too. A known \`idempotency_key\` counts nothing.
- A person who is signed in may change a bounded number of things in a minute and in a day; a workspace has a bounded number of channels, keys and members, a person of devices (409).
- A client address may test ${connectionPerMinute} connections in any 60 seconds.
- A body may have 64 KiB. That of an event may be compressed (\`Content-Encoding: gzip\`), and has 64 KiB decompressed; any other coding is a 415.
- 429 and 503 carry \`Retry-After\`: seconds, at most 86400.`;
}

function retentionOf({ retention: { eventsMs, deliveriesMs, maxSizeBytes } }: ApiSettings): string {
  const bound = 'The oldest go earlier where the data outgrows its bound, but none within 24 hours.';
  return `## Retention

- An event and its \`idempotency_key\` are kept for ${inWords(eventsMs)}, and with it the counts of its deliveries; what became of each device's push, for ${inWords(deliveriesMs)}.${maxSizeBytes === null ? '' : ` ${bound}`}
- \`url\` and \`image_url\` are passed through to the devices and never stored.`;
}

function contactOf(baseUrl: string): object {
  return { name: 'The operator of this service', ...(URL.canParse(baseUrl) && { url: new URL(baseUrl).origin }) };
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
] as const;

/** `90 days`, `36 hours`: in the largest unit that leaves no rest. */
function inWords(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms % each === 0) ?? UNITS[4];
  return `${ms / size} ${unit}${ms === size ? '' : 's'}`;
}
