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
