/** The version of the package; a test holds it to `package.json`, which is not read at every start. */
export const VERSION = '0.1.0';
