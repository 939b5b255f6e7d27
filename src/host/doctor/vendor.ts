import type { Vendor } from '../../providers/provider.ts';

/** Returns whether an endpoint is the vendor's, not a configured replacement. */
export function isVendors({ domain }: Vendor, endpoint: string): boolean {
  return new URL(endpoint).hostname.endsWith(`.${domain}`);
}

/** Returns the vendor's name, or the host configured in its place. */
export function whoAt(vendor: Vendor, endpoint: string): string {
  return isVendors(vendor, endpoint) ? vendor.name : `${new URL(endpoint).host} (not ${vendor.name}'s)`;
}
