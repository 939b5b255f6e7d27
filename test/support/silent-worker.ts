/** A delivery thread that never answers. */
const never = (): Promise<never> => new Promise(() => {});
export default never;
export const selfTest = never;
