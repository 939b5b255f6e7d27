/** Returns the name that members see, never the address: without a name, its first part. */
export function shownName({ name, email }: { readonly name: string; readonly email: string }): string {
  return name === email ? (email.split('@')[0] ?? email) : name;
}
