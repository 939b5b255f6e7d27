/** Styles that a part brings with it: Vite makes a file of them, which comes with the part. */
declare module '*.css';
