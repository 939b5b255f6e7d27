import { LEVELS, ROUTES } from '../push.ts';
import type { Readers } from '../store/transports/socket-connection.ts';

interface Field {
  readonly is: (value: unknown) => boolean;
  readonly must: string;
  readonly isOptional?: true;
}

export type Fields = Readonly<Record<string, Field>>;

const LONGEST_TEXT = 1_000;
/** A `Date`'s maximum. */
const LATEST_MS = 8.64e15;

export const text: Field = {
  is: (value) => typeof value === 'string' && value.length <= LONGEST_TEXT && !/\p{Cc}/u.test(value),
  must: `must be a text of at most ${LONGEST_TEXT} characters, without control characters`,
};
export const flag: Field = { is: (value) => typeof value === 'boolean', must: 'must be true or false' };
export const count: Field = { is: Number.isSafeInteger, must: 'must be an integer' };
export const time: Field = {
  is: (value) => Number.isSafeInteger(value) && Math.abs(Number(value)) <= LATEST_MS,
  must: 'must be a time in milliseconds since 1970',
};
export const level = oneOf(LEVELS);
export const route = oneOf(ROUTES);

export function oneOf(values: readonly unknown[]): Field {
  return { is: (value) => values.includes(value), must: `must be one of ${values.join(', ')}` };
}

export function optional(field: Field): Field {
  return { ...field, isOptional: true };
}

/** Returns a function that picks the named arguments, or rejects the first wrong one. */
export function argumentsOf(call: string, fields: Fields): Readers['calls'][string] {
  const named = Object.entries(fields);
  return (args) => {
    const wrong = named.find(([name, { is, isOptional }]) =>
      args[name] === undefined ? isOptional !== true : !is(args[name]),
    );
    if (wrong !== undefined) {
      const [name, { must }] = wrong;
      return { refused: 'invalid', message: `${call}: ${name} ${must}.`, field: name };
    }
    return {
      args: Object.fromEntries(named.flatMap(([name]) => (Object.hasOwn(args, name) ? [[name, args[name]]] : []))),
    };
  };
}
