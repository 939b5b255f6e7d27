import type { ComponentChildren } from 'preact';

/** Breaks email addresses only before `@`. */
export function breakable(text: string): ComponentChildren {
  const [local, ...rest] = text.split('@');
  if (rest.length === 0) return text;
  return (
    <>
      {local}
      <wbr />@{rest.join('@')}
    </>
  );
}
