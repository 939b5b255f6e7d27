import type { ComponentChildren } from 'preact';

interface Props {
  readonly name: string;
  readonly children: ComponentChildren;
}

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

/** Shows an id or other value to copy; nothing if null. */
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
