import type { ComponentChildren } from 'preact';
import './toast.css';

/** At the bottom of what is seen, and there before it says something: only then do screen readers hear it. The page's end. */
export function Toast({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="toast" role="status">
      {children}
    </div>
  );
}
