import './filters.css';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useKeys } from '../../shell/use-keys.ts';

interface Props {
  readonly label: string;
  readonly onSubmit: (event: SubmitEvent) => void;
  readonly children: ComponentChildren;
}

/** The filters above a list: what is chosen counts at once, what is typed with Enter. `/` leads to the first. */
export function FilterBar({ label, onSubmit, children }: Props) {
  const form = useRef<HTMLFormElement>(null);
  useKeys({ '/': () => form.current?.querySelector('input')?.focus() });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <search> is no form
    <form
      ref={form}
      class="filters"
      role="search"
      aria-label={label}
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
  /** By value; the first is what counts where nothing was chosen. */
  readonly options: readonly (readonly [value: string, text: string])[];
}

export function Choice({ name, label, value = '', options }: ChoiceProps) {
  return (
    <select name={name} aria-label={label} value={value}>
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  );
}
