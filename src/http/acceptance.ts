import { createHmac, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import type { Config } from '../config/config.ts';
import { fieldProblem } from '../contract/details.ts';
import {
  type EventDefaults,
  type ParsedEvent,
  type PostedEventParser,
  postedEventParser,
} from '../contract/posted-event.ts';
import { publicIdOf } from '../contract/public-id.ts';
import type { Clock } from '../process/clock.ts';
import { type Links, type PostedEvent, unreachable } from '../push.ts';
import { MOST_HELD_BACK } from '../store/calls/events.ts';
import type { AcceptAnswer, AcceptArgs, ActingStore, CheckAnswer, Reach } from '../store/calls.ts';
import type { Integrator } from './auth/api-key.ts';
import { ApiError, fieldError } from './errors.ts';
import type { CountedRequest, LimitState } from './limits/throttles.ts';

/** The result of a stored event, also of an earlier one with the same key. */
export type Accepted = Extract<AcceptAnswer, { readonly kind: 'accepted' | 'replayed' }>;
export type Checked = Extract<CheckAnswer, { readonly kind: 'valid' | 'replayed' }>;

/** The sender: the reach of the key, and the store in its name. */
export interface Poster extends Reach {
  readonly store: Pick<ActingStore, 'acceptEvent' | 'checkEvent' | 'readUsage'>;
  /** Origin of the key; null: no key posts. */
  readonly postedBy: string | null;
  /** Defaults of level and urgency; null: the API's. */
  readonly defaults: EventDefaults | null;
  /** The request, if limited and not yet counted by the store. */
  readonly request?: CountedRequest;
  /** The response shows this limit. */
  showLimit(limit: LimitState): void;
  /** Returns a mark by which replays compare links; null: none. */
  markOf(links: Links): string | null;
}

export interface HeldLinks {
  hold(workspaceId: number, publicId: string, links: Links): void;
  drop(publicId: string): void;
}

interface AcceptanceDeps {
  readonly config: {
    readonly limits: Pick<Config['limits'], 'urlSchemes'>;
    readonly delivery: Pick<Config['delivery'], 'ttlMs'>;
  };
  readonly clock: Clock;
  readonly links: HeldLinks;
}

/** Header of the response to an event that would resolve an alert, if its key may not. */
export const ALERT_UNCHANGED = { 'Pushctl-Alert': 'unchanged, needs alerts:write' } as const;

const UUID_BYTES = 16;
const DRAWN_AT_ONCE = 256;

export function posterOf({ key, apiKey, store }: Integrator, request: CountedRequest): Poster {
  const { id, workspaceId, boundKeyId, origin: postedBy, defaults } = key;
  const { showLimit } = request;
  return {
    store,
    request,
    workspaceId,
    boundKeyId,
    postedBy,
    defaults,
    showLimit,
    markOf: (links) => linksMark(id, apiKey, links),
  };
}

/** The one way in for events, in any format. Throws ApiError or FieldsError. */
export class Acceptance {
  readonly #parse: PostedEventParser;
  readonly #clock: Clock;
  readonly #links: HeldLinks;
  readonly #newUuid = uuidMaker();

  constructor({ config, clock, links }: AcceptanceDeps) {
    const { urlSchemes } = config.limits;
    this.#parse = postedEventParser({ urlSchemes, ttlMs: config.delivery.ttlMs, wallMs: () => clock.wallMs() });
    this.#clock = clock;
    this.#links = links;
  }

  /** `header`: the idempotency key's. */
  parse({ defaults }: Pick<Poster, 'defaults'>, body: Readonly<Record<string, unknown>>, header?: string): ParsedEvent {
    return this.#parse(body, header, defaults);
  }

  async accept(by: Poster, event: PostedEvent): Promise<Accepted> {
    return taken(by, await this.#store(by, askedOf(event, by), event.links), this.#clock.wallMs());
  }

  async check(by: Poster, event: PostedEvent): Promise<Checked> {
    return taken(by, await by.store.checkEvent(askedOf(event, by)), this.#clock.wallMs());
  }

  /** Holds the links first, so the event is never sent without them. Drops them if not queued. */
  async #store({ store }: Poster, asked: Asked, links: Links): Promise<AcceptAnswer> {
    const uuid = this.#newUuid(this.#clock.wallMs());
    const args = { ...asked, uuid };
    if (!asked.hadLinks) return store.acceptEvent(args);
    const publicId = publicIdOf(uuid);
    this.#links.hold(asked.workspaceId, publicId, links);
    let isQueued = false;
    try {
      const answer = await store.acceptEvent(args);
      isQueued = answer.kind === 'accepted' && answer.routes.length > 0;
      return answer;
    } finally {
      if (!isQueued) this.#links.drop(publicId);
    }
  }
}

type Asked = Omit<AcceptArgs, 'uuid'>;

/** Replaces the links by a mark if a replay may be compared with them. */
function askedOf(
  { links, ...event }: PostedEvent,
  { workspaceId, boundKeyId, postedBy, request, markOf }: Poster,
): Asked {
  const hadLinks = Object.keys(links).length > 0;
  const isMarked = hadLinks && event.idempotencyKey !== null;
  const linksMark = isMarked ? markOf(links) : null;
  const perMinute = request && { perMinute: request.perMinute };
  return { ...event, workspaceId, boundKeyId, postedBy, hadLinks, linksMark, ...perMinute };
}

function taken<A extends AcceptAnswer | CheckAnswer>(
  by: Poster,
  answer: A,
  wallMs: number,
): Promise<Extract<A, { readonly kind: 'accepted' | 'valid' | 'replayed' }>>;
async function taken(by: Poster, answer: AcceptAnswer | CheckAnswer, wallMs: number): Promise<Accepted | Checked> {
  const { request } = by;
  if (answer.requests) request?.left(answer.requests);
  switch (answer.kind) {
    case 'accepted':
    case 'valid':
    case 'replayed':
      return answer;
    case 'rate_limited':
      request?.takeBack();
      throw new ApiError('rate_limited', { retryAfterMs: answer.requests?.resetAfterMs ?? 0 });
    case 'unknown_channel':
      throw new ApiError('channel_not_found');
    case 'too_many_scheduled':
      throw fieldError(fieldProblem('send_at', 'too_many_scheduled', { most: MOST_HELD_BACK }));
    case 'allowance_exhausted': {
      const resetAfterMs = Math.max(0, answer.resetsAtMs - wallMs);
      await showMonth(by, answer.resetsAtMs, resetAfterMs);
      throw new ApiError('allowance_exhausted', { retryAfterMs: resetAfterMs });
    }
    default:
      return unreachable(answer);
  }
}

const DAY_MS = 86_400_000;

/** Shows the month's allowance once it is spent. */
async function showMonth(
  { store, workspaceId, showLimit }: Poster,
  endMs: number,
  resetAfterMs: number,
): Promise<void> {
  const { monthly_event_allowance: limit } = await store.readUsage({ workspaceId });
  if (limit === null) return; // It has become unlimited meanwhile.
  const windowMs = new Date(endMs - 1).getUTCDate() * DAY_MS;
  showLimit({ policy: 'month', limit, windowMs, remaining: 0, resetAfterMs });
}

/**
 * Marks the links of a request for comparison with a replay. Nothing on a disk may let anyone guess links, so this is a
 * MAC keyed with the API key. It begins with the key's id, since another key gives another mark.
 */
function linksMark(keyId: string, apiKey: string, { url, imageUrl, data }: Links): string {
  const mac = createHmac('sha256', apiKey).update(
    JSON.stringify(data === undefined ? [url, imageUrl] : [url, imageUrl, data]),
  );
  return `${keyId} ${mac.digest('hex').slice(0, 32)}`;
}

/** Makes UUIDv7. Draws random bytes for many at once: a draw costs more than the rest. */
export function uuidMaker(): (wallMs: number) => string {
  const drawn = new Uint8Array(UUID_BYTES * DRAWN_AT_ONCE);
  let used = drawn.length;
  const rng = (): Uint8Array => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    used += UUID_BYTES;
    return drawn.slice(used - UUID_BYTES, used);
  };
  return (wallMs) => v7({ msecs: wallMs, rng });
}
