import { SENDERS_BASE } from '../../contract/senders/names.ts';
import type { BareContext } from '../request-state.ts';

/**
 * The path that a request at the host of a format means below the format's own, or null: it came to no such host. For
 * senders that know no path before their own.
 */
export function pathAtHost(
  { req }: Pick<BareContext, 'req'>,
  path: string,
  hosts: Readonly<Record<string, string>>,
): string | null {
  const host = (req.headers.host ?? '').toLowerCase().replace(/:\d*$/, '');
  const name = Object.hasOwn(hosts, host) ? hosts[host] : undefined;
  return name === undefined ? null : `${SENDERS_BASE}/${name}${path}`;
}
