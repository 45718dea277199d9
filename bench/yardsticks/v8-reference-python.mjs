/** The v8 reference protocol in Python. */
import { fileURLToPath } from 'node:url';
import { bodiesIn, inboxIn } from './lines.mjs';

const PROGRAM = fileURLToPath(new URL('v8_reference.py', import.meta.url));

export const needs = 'python3';
export const argv = ({ who }) => ['python3', PROGRAM, who];
export const collect = (dir) => bodiesIn(inboxIn(dir));
