/** What was filled in. */
export function dataOf(event: SubmitEvent): FormData {
  return new FormData(event.target as HTMLFormElement);
}

/** The text of one field as it was typed, as passwords are. */
export function fieldOf(event: SubmitEvent, name: string): string {
  return String(dataOf(event).get(name) ?? '');
}

/** The text of one field, without blanks around it. */
export function textOf(event: SubmitEvent, name: string): string {
  return fieldOf(event, name).trim();
}
