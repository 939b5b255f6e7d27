import type { ComponentChildren } from 'preact';

/** A fact's name, and what it is. */
type NamedFact = readonly [name: string, value: ComponentChildren];

/** What is known of one thing, on its page. */
export function Facts({ of }: { readonly of: readonly NamedFact[] }) {
  return (
    <dl class="facts facts-alone">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
