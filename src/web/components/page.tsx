import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useRef } from 'preact/hooks';
import { unread, unreadText } from '../api/unread.ts';
import { useShared } from '../shared.ts';
import { common } from '../texts/common.ts';

interface Props {
  readonly title: string;
  readonly actions?: ComponentChildren;
  /** False beside another page. */
  readonly namesTab?: boolean;
  /** Whether it also takes the focus. */
  readonly takesFocus?: boolean;
  readonly children: ComponentChildren;
}

/** The workspace of the pages below. */
export const OfWorkspace = createContext<string | null>(null);

/** Whether a page was shown before: the first leaves the focus alone. */
let isFirst = true;

/** A page. Its title names the tab, and gets the focus after navigation. */
export function Page({ title, actions, namesTab = true, takesFocus = true, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it comes
  useEffect(() => {
    // The user may have returned to a place further down.
    if (!isFirst && takesFocus) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  const workspace = useContext(OfWorkspace);
  const count = useShared(unread);
  useEffect(() => {
    if (!namesTab) return;
    const names = [title, workspace, common.app].filter(Boolean).join(' · ');
    document.title = `${count.events > 0 ? `(${unreadText(count)}) ` : ''}${names}`;
  }, [title, workspace, count, namesTab]);
  return (
    <>
      <div class="page-bar">
        <hgroup>
          <h1 ref={heading} dir="auto" tabIndex={-1}>
            {title}
          </h1>
          {workspace !== null && (
            <p class="hint" dir="auto">
              {workspace}
            </p>
          )}
        </hgroup>
        {actions}
      </div>
      {children}
    </>
  );
}

/** A page's props: the braced parts of its address. */
export interface PageProps {
  readonly workspace?: string;
  readonly event?: string;
  readonly member?: string;
  readonly device?: string;
  readonly channel?: string;
  /** An event fits beside the list. */
  readonly isWide?: boolean;
}

interface SectionProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Section({ title, children }: SectionProps) {
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
