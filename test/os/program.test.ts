import { describe, expect, it } from 'vitest';
import { findProgram } from '../../src/os/program-path.ts';

describe('a program', () => {
  it('a program is found in absolute directories only', () => {
    expect(findProgram('sh', '.:bin:/nowhere:/bin')).toBe('/bin/sh');
    expect(findProgram('sh', '.:bin')).toBeUndefined();
    expect(findProgram('sh', '')).toBeUndefined();
  });
});
