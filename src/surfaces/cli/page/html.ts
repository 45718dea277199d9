/** Builds HTML. Every value is text: it is made safe and escaped, never markup. Only `Html` values nest. */
import { safeText } from '../../../app.ts';

export class Html {
  readonly text: string;

  /** @param text trusted markup of this program only; data goes through {@link markup} */
  constructor(text: string) {
    this.text = text;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => safeText(text).replace(/[&<>"']/g, (one) => ENTITIES[one] ?? '');

type Value = Html | string | number | readonly Html[];

function piece(value: Value): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? escaped(value) : value.map(({ text }) => text).join('');
}

export const markup = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(parts.map((part, index) => part + (index < values.length ? piece(values[index] ?? '') : '')).join(''));

export const NOTHING = new Html('');
