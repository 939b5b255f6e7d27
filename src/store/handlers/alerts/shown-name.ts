/**
 * Returns the name of a person that other members see, never the address. A person without a name is called by the
 * first part of the address.
 */
export function shownName({ name, email }: { readonly name: string; readonly email: string }): string {
  return name === email ? (email.split('@')[0] ?? email) : name;
}
