import { personIdOf } from '../../../contract/public-id.ts';

/** Returns a person as in `alert.acted_by`. */
export function personActor(id: number): string {
  return `person ${id}`;
}

/** Returns the acting person's public id; null: not a person. */
export function personIdOfActor(actor: string | null): string | null {
  const [kind, id] = actor?.split(' ') ?? [];
  return kind === 'person' ? personIdOf(Number(id)) : null;
}
