import './line.css';
import type { ComponentChildren } from 'preact';

interface Props {
  readonly href: string;
  readonly name: string;
  /** It gets or takes nothing any more. */
  readonly hasEnded?: boolean;
  /** What else it is called by: as far as there is room, but on a phone whole, where nothing points at what is cut off. */
  readonly more?: string | null;
  /** What one looks for in a list of many, as `Fact`s, and at the end a menu. */
  readonly children: ComponentChildren;
}

/** A thing among many, on one line, which leads to its page. */
export function Line({ href, name, hasEnded = false, more = null, children }: Props) {
  return (
    <li class="line">
      <span class="line-names">
        <a class={hasEnded ? 'line-name line-ended' : 'line-name'} dir="auto" href={href} title={name}>
          {name}
        </a>
        {more !== null && (
          <span class="line-more" dir="auto" title={more}>
            {more}
          </span>
        )}
      </span>
      {children}
    </li>
  );
}

/** `isWide`: not on a phone. */
export function Fact({
  isWide = false,
  children,
}: {
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}) {
  return <span class={isWide ? 'line-fact line-fact-wide num' : 'line-fact num'}>{children}</span>;
}
