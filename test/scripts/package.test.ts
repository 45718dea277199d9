/** The files of the package, from a small checkout. What npm makes of them is tried by `npm run pack`. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp.ts';

const STAGE = pathToFileURL(join(import.meta.dirname, '../../scripts/package/stage.mjs')).href;
const MANIFEST = {
  name: 'small',
  exports: { '.': { types: './dist/types/index.d.ts', default: './dist/index.js' } },
  files: ['dist', '!dist/cache', 'docs'],
  scripts: { prepare: 'exit 1' },
  dependencies: { used: '^1.0.0', '@typed/only': '^2.0.0', bundled: '^3.0.0' },
  devDependencies: { tool: '^4.0.0' },
};
const FILES = {
  'package.json': JSON.stringify(MANIFEST),
  LICENSE: 'MIT',
  'README.md': 'See [the page](docs/page.md), [a test](test/a.test.ts#x) and [the web](https://example.org).\n',
  'docs/page.md': '![A view](view.png) of [`src/a.ts`](../src/a.ts), [above](#top)\n',
  'docs/view.png': 'png',
  'dist/index.js': 'const used=await import("used");"bundled"',
  'dist/cache/a.bin': 'code of this machine',
  'dist/types/index.d.ts': "export { a } from './model/a.ts';\n",
  'dist/types/model/a.d.ts': "import type { T } from '@typed/only';\nexport declare const a: import('./b.ts').B | T;\n",
  'dist/types/model/b.d.ts': 'export type B = 1;\n',
  'dist/types/model/inner.d.ts': "import type { C } from 'bundled';\nexport type D = C;\n",
};

let [checkout, stage] = ['', ''];
beforeEach(() => {
  [checkout, stage] = [tempDir(), tempDir()];
  for (const [path, text] of Object.entries(FILES)) write(path, text);
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
}

async function pack(): Promise<void> {
  const call = `import { stagePackage } from '${STAGE}'; stagePackage(...${JSON.stringify([checkout, stage])});`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', call]);
}
const packed = (path: string): string => readFileSync(join(stage, path), 'utf8');

describe('the package', () => {
  it('the package has no scripts, and only the dependencies that its files import', async () => {
    await pack();
    const { name, exports, files } = MANIFEST;
    const dependencies = { used: '^1.0.0', '@typed/only': '^2.0.0' };
    expect(JSON.parse(packed('package.json'))).toEqual({ name, exports, files, dependencies });
  });

  it('the package has the declarations that the public one reaches, and no code cache', async () => {
    await pack();
    expect(packed('dist/types/model/b.d.ts')).toBe(FILES['dist/types/model/b.d.ts']);
    expect(['dist/types/model/inner.d.ts', 'dist/cache'].filter((path) => existsSync(join(stage, path)))).toEqual([]);
  });

  it('in packed pages a link to a file of the checkout is its text; other links stay', async () => {
    await pack();
    expect(packed('README.md')).toBe('See [the page](docs/page.md), a test and [the web](https://example.org).\n');
    expect(packed('docs/page.md')).toBe('![A view](view.png) of `src/a.ts`, [above](#top)\n');
  });

  it('a page that shows a picture which is not packed is refused', async () => {
    write('docs/page.md', '![A view](../pictures/view.png)\n');
    await expect(pack()).rejects.toThrow('docs/page.md shows ../pictures/view.png, which is not in the package.');
  });

  it('each file that a build makes has a kind in the table of the package', async () => {
    const root = join(import.meta.dirname, '../..');
    const weigh = pathToFileURL(join(root, 'scripts/package/weight.mjs')).href;
    const dist = join(checkout, 'built');
    cpSync(join(root, 'dist'), join(dist, 'dist'), {
      recursive: true,
      filter: (path) => !/dist.(?:cache|types)(?:$|[/])/.test(path),
    });
    const call = `import { weighPackage } from '${weigh}'; console.log(weighPackage(${JSON.stringify(dist)}).length);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', call]);
    expect(Number(stdout)).toBeGreaterThan(10);
  });
});
