/** The props of a page: the parts of its address that stand in braces in the list of addresses. */
export interface PageProps {
  readonly workspace?: string;
  readonly event?: string;
  readonly member?: string;
  readonly device?: string;
  readonly channel?: string;
  /** The screen has room for an event beside the list. */
  readonly isWide?: boolean;
}
