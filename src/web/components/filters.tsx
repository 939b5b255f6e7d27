import './filters.css';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useKeys } from '../shell/keys.ts';
import { Options, type OptionTexts } from './forms/fields.tsx';
import { dataOf } from './forms/form.ts';

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

interface Props {
  readonly label: string;
  readonly onSubmit: (event: SubmitEvent) => void;
  readonly children: ComponentChildren;
}

/** A list's filters: choices apply at once, text after a pause. `/` focuses the first field. */
export function FilterBar({ label, onSubmit, children }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const pause = usePause();
  useKeys({ '/': () => form.current?.querySelector('input')?.focus() });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <search> is no form
    <form
      ref={form}
      class="filters"
      role="search"
      aria-label={label}
      onInput={({ target }) => {
        // Nameless fields search among the choices.
        if ((target as HTMLInputElement).type === 'search' && (target as HTMLInputElement).name !== '') {
          pause(() => form.current?.requestSubmit());
        }
      }}
      onChange={(event) => event.currentTarget.requestSubmit()}
      onSubmit={onSubmit}
    >
      {children}
    </form>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  /** The text for no choice; absent: the first option. */
  readonly any?: string;
  readonly options: OptionTexts;
}

export function Choice({ name, label, value = '', any, options }: ChoiceProps) {
  return (
    <select name={name} aria-label={label} value={value}>
      {any !== undefined && <option value="">{any}</option>}
      <Options of={options} />
    </select>
  );
}

/** Queries wait for a pause in typing. */
const PAUSE_MS = 200;

/** Returns a function that acts after a pause in calls. */
export function usePause(): (act: () => void) => void {
  const timer = useRef(0);
  return (act) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(act, PAUSE_MS);
  };
}
