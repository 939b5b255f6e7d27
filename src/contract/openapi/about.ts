import { packageLicense } from '../../process/package.ts';

export interface ApiSettings {
  /** The clients' address ending with `/api`, absolute if known. */
  readonly baseUrl: string;
  readonly limits: { readonly burstPerMinute: number; readonly connectionPerMinute: number };
  readonly retention: {
    readonly eventsMs: number;
    readonly deliveriesMs: number;
    /** Size at which the oldest events go; null: none. */
    readonly maxSizeBytes: number | null;
  };
  readonly delivery: { readonly ttlMs: number };
}

/** Returns the info object, short since generated clients repeat it. */
export function infoOf(installation: ApiSettings): object {
  return {
    title: 'Push event ingest API',
    version: '1',
    summary: 'Post an event, and every device that is subscribed to its channel gets one push.',
    description: [...RULES, limitsOf(installation), retentionOf(installation)].map((rule) => `- ${rule}`).join('\n'),
    contact: contactOf(installation.baseUrl),
    // Generators want the identifier, too.
    license: { name: packageLicense(), identifier: packageLicense() },
  };
}

const RULES = [
  'If the server has its web app, people read this description at `/docs`.',
  'Integrators send an API key as Bearer token, people a session token from `POST /v1/session`.',
  'Bodies are JSON objects in UTF-8. Unknown fields are ignored. In POST and PUT, null and blank texts in optional fields count as absent. In PATCH, null clears a field if its schema allows null.',
  'Errors have a `message` for people and a stable `code` for programs. A 404 has only the `message`, a 422 also `errors` by field. 429 and 503 carry `Retry-After` in seconds.',
  'After a 5xx or a lost response, post an event again with the same `idempotency_key`. It is sent and counted once.',
  'Within `/v1`, responses may gain fields, codes and words of a set. Ignore those that you do not know.',
];

function limitsOf({ limits: { burstPerMinute, connectionPerMinute } }: ApiSettings): string {
  return `An API key may post ${burstPerMinute} times in any 60 seconds, unless it has its own limit. A client address may test ${connectionPerMinute} connections in any 60 seconds.`;
}

function retentionOf({ retention: { eventsMs, deliveriesMs, maxSizeBytes } }: ApiSettings): string {
  const bound = ' If the data outgrows its bound, the oldest go earlier, but none within 24 hours.';
  return `Events are kept for ${inWords(eventsMs)}, the deliveries of each device for ${inWords(deliveriesMs)}.${maxSizeBytes === null ? '' : bound}`;
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

/** Uses the largest exact unit: `90 days`, `36 hours`. */
function inWords(ms: number): string {
  const [unit, size] = UNITS.find(([, unitMs]) => ms % unitMs === 0) ?? UNITS[4];
  return `${ms / size} ${unit}${ms === size ? '' : 's'}`;
}
