/** A person left a question by Ctrl-C or Ctrl-D, so nothing of what was asked about is done. */
export class LeftQuestion extends Error {
  constructor(options?: ErrorOptions) {
    super('The question was not answered, so nothing was done.', options);
  }
}
