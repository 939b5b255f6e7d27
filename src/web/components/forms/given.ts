/** Returns an object with this property, or without if empty: the API distinguishes both. */
export function given<Name extends string, Value>(name: Name, value: Value | '' | null): { [N in Name]?: Value } {
  return (value === '' || value === null ? {} : { [name]: value }) as { [N in Name]?: Value };
}
