/** What `vitest` is outside of a test: nothing ends here, so nothing is done at an end. */
export const onTestFinished = () => {};
