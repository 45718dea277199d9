/**
 * An isolated program gets what the entries of PATH need: where their links and first lines lead. `npx teams` and
 * `npm run` put the project's `node_modules/.bin` there, which a clone brings and members write: nothing that it names
 * is lent.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { fencePlace, openFence, runInside, type FencePlace } from '../support/fence.ts';

const SECRETS = ['.config/gh/hosts.yml', 'private/taxes.txt', 'private/bin/deploy'];

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

function link(path: string, target: string): string {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
  return path;
}

const PROJECT_BIN = 'node_modules/.bin';
const atFront = ({ work, environment }: FencePlace, entry = join(work, PROJECT_BIN)) => ({
  PATH: `${entry}:${environment['PATH'] ?? ''}`,
});

/** What the project has, and the environment of who starts the isolation. */
const PLANTS: [string, (place: FencePlace, secret: string) => Record<string, string>][] = [
  [
    'a link among its programs',
    (place, secret) => {
      link(join(place.work, PROJECT_BIN, 'x'), secret);
      return atFront(place);
    },
  ],
  [
    'the first line of a program',
    (place, secret) => {
      put(join(place.work, PROJECT_BIN, 'x'), `#!${secret}\n`);
      return atFront(place);
    },
  ],
  [
    'a link in the place of its folder of programs',
    (place, secret) => {
      link(join(place.work, PROJECT_BIN), dirname(secret));
      return atFront(place);
    },
  ],
  [
    'a program of the project that a link of the user names',
    (place, secret) => {
      const tool = link(join(place.work, 'tool'), secret);
      link(join(place.home, 'tools/tool'), tool);
      return atFront(place, join(place.home, 'tools'));
    },
  ],
  [
    'a file of certificates in the project that a link of the user names',
    (place, secret) => {
      const file = link(join(place.work, 'ca.pem'), secret);
      return { SSL_CERT_FILE: link(join(place.home, 'ca.pem'), file) };
    },
  ],
  [
    'a toolchain in the project that a link of the user names',
    (place, secret) => {
      const folder = link(join(place.work, 'jdk'), dirname(secret));
      return { JAVA_HOME: link(join(place.home, 'jdk'), folder) };
    },
  ],
];

it.each(PLANTS)('%s lends no file of the user', async (_, plant) => {
  for (const secret of SECRETS) {
    const place = fencePlace();
    const files = SECRETS.map((path) => put(join(place.home, path), 'secret\n'));
    const variables = plant(place, join(place.home, secret));
    const there = { ...place, environment: { ...place.environment, ...variables } };
    const held = await openFence(there);
    const seen = await runInside(held, there, `cat ${files.join(' ')} 2>&1; echo ran`);
    expect(seen).toContain('ran\n');
    expect(seen).not.toContain('secret');
  }
});

it('a program of the user that PATH names is there, with the folder that its link leads to', async () => {
  const place = fencePlace();
  put(join(place.home, 'tool-1.0/bin/tool'), '#!/bin/sh\ncat "$(dirname "$(readlink -f "$0")")/../share/text"\n');
  put(join(place.home, 'tool-1.0/share/text'), 'its own file\n');
  link(join(place.home, 'tools/tool'), join(place.home, 'tool-1.0/bin/tool'));
  const there = { ...place, environment: { ...place.environment, ...atFront(place, join(place.home, 'tools')) } };
  expect(await runInside(await openFence(there), there, 'tool')).toBe('its own file\n');
});

it('a pipe among the programs of PATH holds no start up', async () => {
  const place = fencePlace();
  for (const folder of [join(place.work, PROJECT_BIN), join(place.home, 'tools')]) {
    mkdirSync(folder, { recursive: true });
    execFileSync('mkfifo', ['-m', '755', join(folder, 'x')]);
    const there = { ...place, environment: { ...place.environment, ...atFront(place, folder) } };
    expect(await runInside(await openFence(there), there, 'echo ran')).toBe('ran\n');
  }
});
