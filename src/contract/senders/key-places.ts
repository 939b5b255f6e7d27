import { isLikeApiKey } from '../api-key.ts';
import { textOf } from './bodies.ts';
import type { KeyPlace, SenderRequest } from './format.ts';

/** `isInAddress`: proxies log addresses, so the key may have only one right. */
interface FoundKey {
  /** Empty if absent. */
  readonly token: string;
  readonly isInAddress: boolean;
}

/** Finds the first key in these places. */
export function findKey(places: readonly KeyPlace[], request: SenderRequest): FoundKey {
  for (const place of places) {
    const token = tokenAt(place, request);
    if (token !== '') return { token, isInAddress: place.in === 'query' || place.in === 'path' };
  }
  return { token: '', isInAddress: false };
}

function tokenAt(place: KeyPlace, { header, query, params, body }: SenderRequest): string {
  switch (place.in) {
    case 'authorization':
      return tokenIn(header('authorization'));
    case 'header':
      return header(place.name).trim();
    case 'query': {
      const given = query.get(place.name) ?? '';
      return place.holds === 'key' ? given : tokenIn(Buffer.from(given, 'base64url').toString());
    }
    case 'path':
      return params.key ?? '';
    case 'body':
      return textOf(body.fields[place.name]).trim();
  }
}

/**
 * Finds the first key in a JSON field of this name, without parsing a body that may be large. Strings escape quotes, so
 * only real fields match. Fields of inner objects match too, so the caller must compare.
 */
export function findKeyInText(json: string, name: string): string {
  const field = new RegExp(`"${name}"\\s{0,20}:\\s{0,20}"([^"\\\\]{1,${LONGEST_KEY}})"`, 'g');
  let looked = 0;
  for (const [, value = ''] of json.matchAll(field)) {
    if (isLikeApiKey(value.trim())) return value.trim();
    looked += 1;
    if (looked === MOST_FIELDS) break;
  }
  return '';
}

const LONGEST_KEY = 100;
/** The most fields of one name. Without this bound, a stranger's 4 MiB of them take 30 ms. */
const MOST_FIELDS = 100;

/** Returns the token of an Authorization header (RFC 6750, section 2.1; RFC 7617, section 2). */
function tokenIn(authorization: string): string {
  const [, scheme = '', credentials = ''] = /^(Bearer|Basic) +(\S+) *$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'basic') return credentials;
  const pair = Buffer.from(credentials, 'base64').toString();
  return pair.slice(pair.indexOf(':') + 1);
}
