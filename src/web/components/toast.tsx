import type { ComponentChildren } from 'preact';
import './toast.css';

/**
 * A message at the bottom of the screen, and the page's last part. It is there before it says something: only then do
 * screen readers read it.
 */
export function Toast({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="toast" role="status">
      {children}
    </div>
  );
}
