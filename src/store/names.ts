export interface Name {
  readonly value: string;
  readonly about: string;
}

export type NameQuery =
  | { readonly of: 'workspaces' | 'keys' | 'events' }
  | { readonly of: 'devices'; readonly prefix: string }
  /** Members' addresses. `workspace`: see below. */
  | { readonly of: 'members'; readonly workspace: string | null; readonly prefix: string }
  /** `workspace` null: all. */
  | { readonly of: 'channels' | 'heartbeats'; readonly workspace: string | null };
