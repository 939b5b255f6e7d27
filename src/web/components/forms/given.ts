/**
 * Returns an object with this one property, or an empty one if nothing was filled in: the API distinguishes the two.
 */
export function given<Name extends string, Value>(name: Name, value: Value | '' | null): { [N in Name]?: Value } {
  return (value === '' || value === null ? {} : { [name]: value }) as { [N in Name]?: Value };
}
