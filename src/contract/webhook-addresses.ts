import { BlockList, isIP } from 'node:net';

/**
 * What is wrong with the place that an address leads to, as the end of a sentence about it; null: nothing, or that is
 * known only once its name is looked up.
 */
export function webhookPlaceProblem(url: string): string | null {
  const literal = addressIn(new URL(url).hostname);
  if (literal === null || !isPrivate(literal)) return null;
  return 'must not lead to this machine or a private network, unless the operator allows it (webhooks.allow_private)';
}

/** The address that stands in a URL in place of a name, in whatever spelling: `URL` writes each plainly. */
export function addressIn(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}

/** Made as it is first asked: that takes 8 ms of a thread's start. */
let privateNetworks: BlockList | undefined;

/** IPv4 addresses within IPv6 count as what they are within. */
export function isPrivate(address: string): boolean {
  privateNetworks ??= blockList(...PRIVATE);
  return privateNetworks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** All that is not globally reachable: https://www.iana.org/assignments/iana-ipv4-special-registry and …-ipv6-…. */
const PRIVATE = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24',
  '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
  '::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7',
  'fe80::/10 fec0::/10 ff00::/8',
];

function blockList(...lines: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of lines.flatMap((line) => line.split(' '))) {
    const [net = '', prefix] = subnet.split('/');
    list.addSubnet(net, Number(prefix), isIP(net) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
