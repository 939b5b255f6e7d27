export function dataOf(event: SubmitEvent): FormData {
  return new FormData(event.target as HTMLFormElement);
}

/** Returns a field's untrimmed text, as passwords need. */
export function fieldOf(event: SubmitEvent, name: string): string {
  return String(dataOf(event).get(name) ?? '');
}

/** Returns a field's trimmed text. */
export function textOf(form: FormData, name: string): string {
  return String(form.get(name) ?? '').trim();
}

/** Returns an object with this property, or without if empty: the API distinguishes both. */
export function given<Name extends string, Value>(name: Name, value: Value | '' | null): { [N in Name]?: Value } {
  return (value === '' || value === null ? {} : { [name]: value }) as { [N in Name]?: Value };
}
