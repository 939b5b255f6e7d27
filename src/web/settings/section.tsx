import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Section({ title, children }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 class="group" id={id}>
        {title}
      </h2>
      {children}
    </section>
  );
}
