/** Replaces `vitest` outside of a test: there is no end of a test, so nothing is cleaned up. */
export const onTestFinished = () => {};
