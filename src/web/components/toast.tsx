import type { ComponentChildren } from 'preact';
import './toast.css';

/** A message at the screen's bottom, last in the page. Rendered while empty: only then do screen readers read it. */
export function Toast({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="toast" role="status">
      {children}
    </div>
  );
}
