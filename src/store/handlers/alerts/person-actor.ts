import { personIdOf } from '../../../contract/public-id.ts';

/** Returns a person in the form of `alert.acted_by`. */
export function personActor(id: number): string {
  return `person ${id}`;
}

/** Returns the public id of the person who acted; null: it was not a person. */
export function personIdOfActor(actor: string | null): string | null {
  const [kind, id] = actor?.split(' ') ?? [];
  return kind === 'person' ? personIdOf(Number(id)) : null;
}
