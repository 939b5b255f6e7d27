export function dataOf(event: SubmitEvent): FormData {
  return new FormData(event.target as HTMLFormElement);
}

/** Returns a field's untrimmed text, as passwords need. */
export function fieldOf(event: SubmitEvent, name: string): string {
  return String(dataOf(event).get(name) ?? '');
}

/** Returns a field's trimmed text. */
export function textOf(event: SubmitEvent, name: string): string {
  return fieldOf(event, name).trim();
}
