import type { ComponentChildren } from 'preact';

interface Props {
  readonly name: string;
  readonly children: ComponentChildren;
}

/** What is known of one thing, in a list of class `facts`. */
export function Fact({ name, children }: Props) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="num" dir="auto">
        {children}
      </dd>
    </div>
  );
}

/** The same of an id and of what else is copied; nothing where there is none. */
export function KeyFact({ name, value }: { readonly name: string; readonly value: string | null }) {
  if (value === null) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd class="mono" dir="auto">
        {value}
      </dd>
    </div>
  );
}
