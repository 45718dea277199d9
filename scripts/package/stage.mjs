/**
 * The files of the package, in a directory of their own: what the manifest's `files` names, less what an installed
 * package does not use. It keeps of the declarations those that the public one reaches; of the dependencies those that
 * the files import (the others are in the bundles); of the links of a page those that lead to a packed file.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

const ALWAYS = ['README.md', 'LICENSE'];
const LEFT_OUT = ['scripts', 'devDependencies', 'allowScripts'];
const TYPES = join('dist', 'types');

/**
 * @param {string} root a checkout whose dist/ is built, with declarations
 * @param {string} stage an existing directory
 * @returns {object} the manifest of the package
 */
export function stagePackage(root, stage) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const key of LEFT_OUT) delete manifest[key];
  const isLeftOut = (path) =>
    path === TYPES || manifest.files.some((file) => file.startsWith('!') && path === normalize(file.slice(1)));
  for (const name of [...ALWAYS, ...manifest.files.filter((file) => !file.startsWith('!'))])
    cpSync(join(root, name), join(stage, name), {
      recursive: true,
      filter: (from) => !isLeftOut(from.slice(join(root, '/').length)),
    });
  for (const path of declarationsFrom(root, join(dirname(manifest.exports['.'].types), 'index.d.ts'))) {
    mkdirSync(dirname(join(stage, path)), { recursive: true });
    cpSync(join(root, path), join(stage, path));
  }
  manifest.dependencies = usedDependencies(stage, manifest.dependencies);
  for (const page of filesOf(stage).filter((file) => file.endsWith('.md'))) cutLinks(stage, page);
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/** @returns {string[]} the paths of all files below a directory, relative to it, in order */
export const filesOf = (directory) =>
  readdirSync(directory, { recursive: true })
    .filter((name) => statSync(join(directory, name)).isFile())
    .toSorted();

/** @returns {string[]} what a file imports: modules, relative ones included */
export const importsOf = (text) => ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);

function declarationsFrom(root, entry) {
  const found = new Set();
  const visit = (path) => {
    if (found.has(path)) return;
    found.add(path);
    const relatives = importsOf(readFileSync(join(root, path), 'utf8')).filter((name) => name.startsWith('.'));
    for (const name of relatives) visit(join(dirname(path), name.replace(/\.tsx?$/, '.d.ts')));
  };
  visit(normalize(entry));
  return found;
}

function usedDependencies(stage, dependencies) {
  const texts = filesOf(join(stage, 'dist'))
    .filter((name) => /\.(?:js|cjs|d\.ts)$/.test(name) && !name.startsWith('web'))
    .map((name) => readFileSync(join(stage, 'dist', name), 'utf8'));
  const isUsed = (name) => {
    const imported = new RegExp(`(?:\\b(?:require|import)\\(|\\bfrom ?|\\bimport ?)["']${name}["'/]`);
    return texts.some((text) => imported.test(text));
  };
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => isUsed(name)));
}

const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)/g;

/** A link to a file of the checkout becomes its text. A picture must be there. */
function cutLinks(stage, page) {
  const text = readFileSync(join(stage, page), 'utf8');
  const cut = text.replaceAll(LINK, (link, mark, label, path) => {
    if (existsSync(join(stage, dirname(page), path))) return link;
    if (mark === '!') throw new Error(`${page} shows ${path}, which is not in the package.`);
    return label;
  });
  if (cut !== text) writeFileSync(join(stage, page), cut);
}
