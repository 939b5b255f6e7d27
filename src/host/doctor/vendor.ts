import type { Vendor } from '../../providers/provider.ts';

/** Whether an endpoint is the vendor's own, not one that is configured in its place. */
export function isVendors({ domain }: Vendor, endpoint: string): boolean {
  return new URL(endpoint).hostname.endsWith(`.${domain}`);
}

/** The name of the vendor at an endpoint, or the host that is configured in its place. */
export function whoAt(vendor: Vendor, endpoint: string): string {
  return isVendors(vendor, endpoint) ? vendor.name : `${new URL(endpoint).host} (not ${vendor.name}'s)`;
}
