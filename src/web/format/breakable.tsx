import type { ComponentChildren } from 'preact';

/** Lets an email address break before its `@`, rather than anywhere. */
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
