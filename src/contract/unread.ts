/** No count of what is unread goes further than this, in each workspace. */
export const MOST_COUNTED = 1_000;
/** The same in each channel. */
export const MOST_OF_CHANNEL = 100;
