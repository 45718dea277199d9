/**
 * Who runs the tests. A test file that asks for the user by itself runs once more as root (.ci/run); one that only skips
 * for root, or gives a browser another option, asks here.
 */
export const isRoot = process.getuid?.() === 0;
