import './line.css';
import type { ComponentChildren } from 'preact';

interface Props {
  readonly name: string;
  /** It gets or takes nothing any more. */
  readonly hasEnded?: boolean;
  /** In front of the name. */
  readonly mark?: ComponentChildren;
  /** What one looks for in a list of many, as `Fact`s. */
  readonly facts: ComponentChildren;
  /** What is said once it is open, and what can be done. */
  readonly children: ComponentChildren;
}

/** A thing among many, on one line, which opens. */
export function FoldedLine({ name, hasEnded = false, mark, facts, children }: Props) {
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
