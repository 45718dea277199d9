/** The filter of system calls, carried out as the kernel does. That the kernel obeys it: test/threats/calls.test.ts. */
import { expect, it } from 'vitest';
import { callFilter } from '../../../src/policy/sandbox/call-filter.ts';

const [X64, X86, ARM64, ARM] = [0xc000003e, 0x40000003, 0xc00000b7, 0x40000028];
const ANSWERS: Readonly<Record<number, string>> = {
  0x7fff0000: 'allow',
  0x50001: 'EPERM',
  0x50026: 'ENOSYS',
  0x5005f: 'ENOTSUP',
};

/** What the filter answers to a call. */
function answer(node: string, machine: number, call: number, args: readonly number[]): string {
  const bytes = callFilter(node);
  if (bytes === undefined) throw new Error(`There is no filter for ${node}.`);
  const filter = new DataView(bytes.buffer);
  const data = new Map([[0, call], [4, machine], ...args.map((value, at): [number, number] => [16 + at * 8, value])]);
  let loaded = 0;
  for (let at = 0; at < bytes.length / 8; at += 1) {
    const operand = filter.getUint32(at * 8 + 4, true);
    const jump = (isSo: boolean): number => filter.getUint8(at * 8 + (isSo ? 2 : 3));
    switch (filter.getUint16(at * 8, true)) {
      case 0x20:
        loaded = data.get(operand) ?? 0;
        break;
      case 0x15:
        at += jump(loaded === operand);
        break;
      case 0x35:
        at += jump(loaded >= operand);
        break;
      case 0x45:
        at += jump((loaded & operand) !== 0);
        break;
      case 0x05:
        at += operand;
        break;
      case 0x06:
        return ANSWERS[operand] ?? String(operand);
      default:
        throw new Error('Another instruction.');
    }
  }
  throw new Error('The filter has no end.');
}

it.each<[string, string, number, number, number[], string]>([
  ['chmod 4755', 'x64', X64, 90, [0, 0o4755], 'EPERM'],
  ['chmod 2755', 'x64', X64, 90, [0, 0o2755], 'EPERM'],
  ['chmod 1777', 'x64', X64, 90, [0, 0o1777], 'allow'],
  ['fchmod 4755', 'x64', X64, 91, [3, 0o4755], 'EPERM'],
  ['fchmodat 4755', 'x64', X64, 268, [0, 0, 0o4755], 'EPERM'],
  ['fchmodat2 4755', 'x64', X64, 452, [0, 0, 0o4755], 'EPERM'],
  ['mknodat 4755', 'x64', X64, 259, [0, 0, 0o104755], 'EPERM'],
  ['openat that makes 4755', 'x64', X64, 257, [0, 0, 0o101, 0o4755], 'EPERM'],
  ['openat that makes 644', 'x64', X64, 257, [0, 0, 0o101, 0o644], 'allow'],
  ['openat that makes nothing', 'x64', X64, 257, [0, 0, 0, 0o7777], 'allow'],
  ['an open of a nameless file 4755', 'x64', X64, 2, [0, 0o20200001, 0o4755], 'EPERM'],
  ['setxattr', 'x64', X64, 188, [], 'ENOTSUP'],
  ['add_key', 'x64', X64, 248, [], 'ENOSYS'],
  ['request_key', 'x64', X64, 249, [], 'ENOSYS'],
  ['keyctl', 'x64', X64, 250, [], 'ENOSYS'],
  ['io_uring_setup', 'x64', X64, 425, [], 'ENOSYS'],
  ['openat2', 'x64', X64, 437, [], 'ENOSYS'],
  ['a namespace of control groups', 'x64', X64, 272, [0x12000000], 'EPERM'],
  ['a namespace of users', 'x64', X64, 272, [0x10000000], 'allow'],
  ['a process in a namespace of control groups', 'x64', X64, 56, [0x02000011], 'EPERM'],
  ['a thread', 'x64', X64, 56, [0x3d0f00], 'allow'],
  ['clone3', 'x64', X64, 435, [], 'ENOSYS'],
  ['read', 'x64', X64, 0, [], 'allow'],
  ['chmod by the table of x32', 'x64', X64, 0x40000000 + 90, [0, 0o4755], 'ENOSYS'],
  ['chmod 4755 of 32 bits', 'x64', X86, 15, [0, 0o4755], 'EPERM'],
  ['keyctl of 32 bits', 'x64', X86, 288, [], 'ENOSYS'],
  ['read of 32 bits', 'x64', X86, 3, [], 'allow'],
  ['read of an unknown machine', 'x64', 0x1234, 0, [], 'ENOSYS'],
  ['fchmodat 4755', 'arm64', ARM64, 53, [0, 0, 0o4755], 'EPERM'],
  ['openat that makes 4755', 'arm64', ARM64, 56, [0, 0, 0o101, 0o4755], 'EPERM'],
  ['keyctl', 'arm64', ARM64, 219, [], 'ENOSYS'],
  ['a namespace of control groups', 'arm64', ARM64, 97, [0x02000000], 'EPERM'],
  ['a process in one, of 32 bits', 'arm64', ARM, 120, [0x02000011], 'EPERM'],
  ['a namespace of control groups of 32 bits', 'x64', X86, 310, [0x02000000], 'EPERM'],
  ['read', 'arm64', ARM64, 63, [], 'allow'],
  ['fchmodat 4755 of 32 bits', 'arm64', ARM, 333, [0, 0, 0o4755], 'EPERM'],
])('%s on %s', (_, node, machine, call, args, wanted) => {
  expect(answer(node, machine, call, args)).toBe(wanted);
});

it('there is none for a machine whose calls are not known', () => {
  expect(callFilter('s390x')).toBeUndefined();
});
