/** Subscriptions that are renewed together with their device. */
export const RENEWED_AT_ONCE = 40;

/** The call that renews more of a device's subscriptions, after it was moved or became active again. */
export function renewalOf({ id }: { readonly id: string }) {
  return { name: 'continueDevice', args: { id } };
}
