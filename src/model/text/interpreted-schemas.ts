/**
 * Imported first by a program that reads a few values and ends. By default zod writes and compiles a parser for each
 * object that it reads; that costs 4 to 7 % of the start of a verb. What is read often is compiled by
 * `compiledWhenHot`.
 */
import * as z from 'zod';

z.config({ jitless: true });
