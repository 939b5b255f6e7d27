import type { ComponentChildren } from 'preact';

interface Props {
  readonly name: string;
  /** For ids and what else is copied. */
  readonly mono?: boolean;
  readonly children: ComponentChildren;
}

/** What is known of one thing, in a list of class `facts`. */
export function Fact({ name, mono = false, children }: Props) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={mono ? 'mono' : 'num'} dir="auto">
        {children}
      </dd>
    </div>
  );
}
