import { useLocation } from 'preact-iso';
import { dataOf } from '../forms/form.ts';

/** A list's filters, kept in the address for Back and links. */
export interface Filters<Name extends string> {
  readonly values: { readonly [N in Name]?: string };
  /** Stands for all of them. */
  readonly key: string;
  readonly isFiltered: boolean;
  submit(event: SubmitEvent): void;
}

/** `address`: the list's, if an event is beside it or loading. */
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
