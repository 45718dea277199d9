/** Styles that the build gathers into one file. */
declare module '*.css';
