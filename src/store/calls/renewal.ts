/** Subscriptions renewed together with their device. */
export const RENEWED_AT_ONCE = 40;

/** Returns the call that renews more subscriptions of a moved or reactivated device. */
export function renewalOf({ id }: { readonly id: string }) {
  return { name: 'continueDevice', args: { id } };
}
