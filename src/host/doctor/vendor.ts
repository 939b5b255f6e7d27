import type { Vendor } from '../../providers/provider.ts';

/** Whether it is the vendor who takes pushes at an endpoint, or something that stands in its place. */
export function isVendors({ domain }: Vendor, endpoint: string): boolean {
  return new URL(endpoint).hostname.endsWith(`.${domain}`);
}

/** Who answers at an endpoint: the vendor, or whatever stands there in its place. */
export function whoAt(vendor: Vendor, endpoint: string): string {
  return isVendors(vendor, endpoint) ? vendor.name : `${new URL(endpoint).host} (not ${vendor.name}'s)`;
}
