import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { common } from '../texts/common.ts';

interface Props {
  readonly title: string;
  /** Beside the title: what can be done here. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Whether a page was shown before: the first one leaves the focus where the browser has it. */
let isFirst = true;

/** A page: its title, which names the tab as well, and gets the focus when one comes here from another page. */
export function Page({ title, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = `${title} · ${common.app}`;
  }, [title]);
  return (
    <>
      <div class="page-bar">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions}
      </div>
      {children}
    </>
  );
}
