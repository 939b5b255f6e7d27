/** How other members see a person: no address. One who has given no name is called by the first part of theirs. */
export function shownName({ name, email }: { readonly name: string; readonly email: string }): string {
  return name === email ? (email.split('@')[0] ?? email) : name;
}
