import './row-menu.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Props {
  /** Names the menu's thing for screen readers. */
  readonly label: string;
  /** Buttons. */
  readonly children: ComponentChildren;
}

/** A menu of a row's rare actions. Esc, a choice or a click elsewhere closes it. */
export function RowMenu({ label, children }: Props) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = ({ target }: Event): void => {
      if (menu.current?.open && !menu.current.contains(target as Node)) menu.current.open = false;
    };
    document.addEventListener('click', close);
    document.addEventListener('focusin', close);
    return () => {
      document.removeEventListener('click', close);
      document.removeEventListener('focusin', close);
    };
  }, []);
  const shut = (): void => {
    if (menu.current) menu.current.open = false;
    // The chosen button is hidden now: dialogs return the focus to the summary.
    menu.current?.querySelector('summary')?.focus();
  };
  return (
    <details
      class="row-menu"
      ref={menu}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) currentTarget.lastElementChild?.scrollIntoView({ block: 'nearest' });
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !menu.current?.open) return;
        shut();
      }}
    >
      <summary aria-label={label} title={label}>
        ⋯
      </summary>
      <div class="row-menu-list" onClickCapture={shut}>
        {children}
      </div>
    </details>
  );
}
