import './line.css';
import type { ComponentChildren } from 'preact';
import { Moment } from '../components/moment.tsx';

interface Props {
  readonly href: string;
  readonly name: string;
  /** Whether it is no longer active. */
  readonly hasEnded?: boolean;
  /** Another name, cut to fit; whole on phones, which cannot point at it. */
  readonly more?: string | null;
  /** Values to look for in a long list, as `LineFact`s, and a menu. */
  readonly children?: ComponentChildren;
}

/** A thing on one line that leads to its page. */
export function Line({ href, name, hasEnded = false, more = null, children }: Props) {
  return (
    <li class="line">
      <span class="line-names">
        <a class={hasEnded ? 'line-name line-ended' : 'line-name'} dir="auto" href={href} title={name}>
          {name}
        </a>
        {more !== null && (
          <span class="line-more" dir="auto" title={more}>
            {breakable(more)}
          </span>
        )}
      </span>
      {children}
    </li>
  );
}

/** Shows further details of a thing, below its name. */
export function Meta({ parts }: { readonly parts: readonly ComponentChildren[] }) {
  return (
    <p class="entry-meta">
      {parts.map(
        (part, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: their order is fixed
          part !== false && <span key={index}>{part}</span>,
      )}
    </p>
  );
}

/** Returns a part of `Meta` with a moment: `last used 3 min ago`. */
export function dated(what: string, at: string): ComponentChildren {
  return [what, ' ', <Moment key="" at={at} dated />];
}

/** `isWide`: hidden on a phone. */
export function LineFact({
  isWide = false,
  children,
}: {
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}) {
  return <span class={isWide ? 'line-fact line-fact-wide num' : 'line-fact num'}>{children}</span>;
}

interface FoldedLineProps {
  readonly name: string;
  /** Whether it is no longer active. */
  readonly hasEnded?: boolean;
  /** Stands in front of the name. */
  readonly mark?: ComponentChildren;
  /** Values to look for in a long list, as `LineFact`s. */
  readonly facts: ComponentChildren;
  /** Details and actions, once open. */
  readonly children: ComponentChildren;
}

/** A thing on one line that unfolds. */
export function FoldedLine({ name, hasEnded = false, mark, facts, children }: FoldedLineProps) {
  return (
    <li>
      <details class="fold">
        <summary class="line">
          {mark}
          <span class="line-names">
            <span class={hasEnded ? 'line-name line-ended' : 'line-name'} dir="auto" title={name}>
              {name}
            </span>
          </span>
          {facts}
        </summary>
        <div class="fold-more">{children}</div>
      </details>
    </li>
  );
}

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
