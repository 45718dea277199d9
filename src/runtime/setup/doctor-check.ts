/** One finding of `teams doctor`. */

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** It is missing and not required: no fault. */
  readonly absent?: true;
  readonly found: string;
  /** Empty if there is nothing to do. */
  readonly cure: string;
}
