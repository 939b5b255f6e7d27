/** Under these names the vendors take pushes, and nobody else. */
const DOMAINS = { Apple: 'push.apple.com', Google: 'googleapis.com' } as const;
export type Vendor = keyof typeof DOMAINS;

export function isOf(vendor: Vendor, endpoint: string): boolean {
  return new URL(endpoint).hostname.endsWith(`.${DOMAINS[vendor]}`);
}

/** Who answers at an endpoint: the vendor, or whatever stands there in its place. */
export function whoAt(vendor: Vendor, endpoint: string): string {
  return isOf(vendor, endpoint) ? vendor : `${new URL(endpoint).host} (not ${vendor}'s)`;
}
