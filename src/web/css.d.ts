/** Styles that a part of the app imports: Vite puts them into a file, which is loaded with the part. */
declare module '*.css';
