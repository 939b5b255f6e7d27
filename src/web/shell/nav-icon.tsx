const PATHS = {
  inbox: 'M3 12.5 5.2 4.8A1.5 1.5 0 0 1 6.6 3.7h6.8a1.5 1.5 0 0 1 1.4 1.1L17 12.5v3.3H3zM3 12.5h4l1 1.8h4l1-1.8h4',
  alerts: 'M5.2 13.6V9a4.8 4.8 0 0 1 9.6 0v4.6l1.4 1.4H3.8zM8.4 17h3.2',
  channels: 'M4 6.2h12M4 10h12M4 13.8h7.5',
  devices: 'M6.2 2.8h7.6v14.4H6.2zM9 14.8h2',
  manage: 'M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z',
  settings: 'M3 6.5h8.2M15.2 6.5H17M3 13.5h1.8M8.8 13.5H17M13.2 4.5v4M6.8 11.5v4',
} as const;

export type Icon = keyof typeof PATHS;

/** Draws an unlabelled icon: the name is beside. */
export function NavIcon({ name }: { readonly name: Icon }) {
  return (
    <svg class="nav-icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
