import './line.css';
import type { ComponentChildren } from 'preact';

interface Props {
  readonly name: string;
  /** Whether it is no longer active. */
  readonly hasEnded?: boolean;
  /** Stands in front of the name. */
  readonly mark?: ComponentChildren;
  /** Values to look for in a long list, as `Fact`s. */
  readonly facts: ComponentChildren;
  /** Details and actions, once open. */
  readonly children: ComponentChildren;
}

/** A thing on one line that unfolds. */
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
