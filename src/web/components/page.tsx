import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { unread } from '../api/unread.ts';
import { unreadText } from '../format/unread.ts';
import { useShared } from '../shared.ts';
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
  const count = useShared(unread);
  useEffect(() => {
    document.title = `${count.events > 0 ? `(${unreadText(count)}) ` : ''}${title} · ${common.app}`;
  }, [title, count]);
  return (
    <>
      <div class="page-bar">
        <h1 ref={heading} dir="auto" tabIndex={-1}>
          {title}
        </h1>
        {actions}
      </div>
      {children}
    </>
  );
}
