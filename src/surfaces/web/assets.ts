/** The page itself: four files built with the package. They hold no data and are the same for every team. */
import { builtPage } from '../../app.ts';

const TYPES = {
  'index.html': 'text/html; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

/** @returns undefined for a path that is not a file of the page */
export function assetAt(path: string): { readonly type: string; readonly text: string } | undefined {
  const name = path === '/' ? 'index.html' : path.slice(1);
  if (!isAsset(name)) return undefined;
  return { type: TYPES[name], text: builtPage(name) };
}

const isAsset = (name: string): name is keyof typeof TYPES => Object.hasOwn(TYPES, name);
