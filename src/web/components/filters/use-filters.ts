import { useLocation } from 'preact-iso';
import { dataOf } from '../forms/form.ts';

/** The filters of a list. They stand in the address, so that going back and a link lead to the same list. */
export interface Filters<Name extends string> {
  /** The filled-in values. */
  readonly values: { readonly [N in Name]?: string };
  /** Stands for all of them. */
  readonly key: string;
  readonly isFiltered: boolean;
  /** Takes the values from the form that was submitted. */
  submit(event: SubmitEvent): void;
}

/** `address`: that of the list, if an event is shown beside it or is loading. */
export function useFilters<Name extends string>(names: readonly Name[], address?: string): Filters<Name> {
  const { url, route } = useLocation();
  const { pathname: path, searchParams } = new URL(address ?? url, location.origin);
  const values = Object.fromEntries(
    names.flatMap((name) => (searchParams.get(name) ? [[name, searchParams.get(name)]] : [])),
  );
  return {
    values: values as { readonly [N in Name]?: string },
    key: JSON.stringify(values),
    isFiltered: Object.keys(values).length > 0,
    submit(event) {
      event.preventDefault();
      const form = dataOf(event);
      const filled = names.map((name): [string, string] => [name, String(form.get(name) ?? '').trim()]);
      const search = new URLSearchParams(filled.filter(([, value]) => value !== '')).toString();
      route(search === '' ? path : `${path}?${search}`, true);
    },
  };
}
