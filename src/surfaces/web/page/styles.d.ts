/** Style files, which the build joins into one. */
declare module '*.css';
