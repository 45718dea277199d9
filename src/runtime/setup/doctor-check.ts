/** One finding of `teams doctor`. */

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** It is not here, and need not be: no fault of the place. */
  readonly absent?: true;
  readonly found: string;
  /** Empty where nothing is to be done. */
  readonly cure: string;
}
