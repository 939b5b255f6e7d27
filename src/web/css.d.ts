/** Styles imported by a part: Vite makes a file that loads with it. */
declare module '*.css';
