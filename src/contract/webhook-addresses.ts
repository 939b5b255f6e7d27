import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type FieldProblem, fieldProblem } from './details.ts';

/** Returns the fault of the destination; null: none, or not before the look-up. */
export function webhookPlaceProblem(url: string): FieldProblem | null {
  const literal = addressIn(new URL(url).hostname);
  if (literal === null || isPublic(literal)) return null;
  return fieldProblem('url', 'webhook_private');
}

/** Returns a URL's IP address; `URL` normalizes the spelling. */
export function addressIn(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}

/**
 * Tells whether an address is on the internet and not this machine's. Services may trust what only this machine
 * reaches, or listen on its public address for their own processes. `own`: all interfaces' addresses now.
 */
export function isPublic(address: string, own: readonly string[] = interfaceAddresses()): boolean {
  unicast ??= listOf(['2000::/3']);
  special ??= listOf(SPECIAL);
  const family = familyOf(address);
  return (
    (family === 'ipv4' || unicast.check(address, family)) &&
    !special.check(address, family) &&
    !listOf(own).check(address, family)
  );
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
}

/** Made at first use, as that takes 8 ms. */
let unicast: BlockList | undefined;
let special: BlockList | undefined;

/**
 * Networks of IPv4 and 2000::/3 that are not global or lead to IPv4 (Teredo, 6to4):
 * https://www.iana.org/assignments/iana-ipv4-special-registry and …-ipv6-….
 */
const SPECIAL = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24',
  '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
  '2001::/23 2001:db8::/32 2002::/16 3fff::/20',
].flatMap((line) => line.split(' '));

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [net = '', prefix] = network.split('/');
    if (prefix === undefined) list.addAddress(net, familyOf(net));
    else list.addSubnet(net, Number(prefix), familyOf(net));
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
