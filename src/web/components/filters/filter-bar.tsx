import './filters.css';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useKeys } from '../../shell/use-keys.ts';
import { Options, type OptionTexts } from '../forms/options.tsx';
import { usePause } from './use-pause.ts';

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
