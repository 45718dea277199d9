/**
 * The system calls that an isolated program is refused, as a seccomp program for the kernel (classic BPF). A mount
 * cannot forbid what they do: a file in the workspace is the user's, so with a set-user-id bit or with capabilities
 * another local user who runs it gets the user's rights; the kernel's session keyring goes through every namespace; and
 * who makes a namespace of control groups may mount them, and end the processes outside that are in its own.
 */

/** The numbers of calls on one kind of machine. */
interface Machine {
  /** `AUDIT_ARCH_…` of the kernel. */
  readonly audit: number;
  /** Calls from this number on belong to another table. */
  readonly end?: number;
  /** Their argument is a mode: `[number, which argument]`. */
  readonly modes: readonly (readonly [number, number])[];
  /** They open files, with flags and a mode: `[number, flags, mode]`. */
  readonly opens: readonly (readonly [number, number, number])[];
  /** They make namespaces: the flags are their first argument. */
  readonly namespaces: readonly number[];
  /** Extended attributes: file capabilities are one. */
  readonly attributes: readonly number[];
  /** Keyrings, and calls whose modes and flags are not in their arguments; programs do without all of them. */
  readonly absent: readonly number[];
}

const [OPENAT2, FCHMODAT2, IO_URING_SETUP, SETXATTRAT, CLONE3] = [437, 452, 425, 463, 435];

const X64: Machine = {
  audit: 0xc000_003e,
  end: 0x4000_0000,
  modes: [
    [90, 1],
    [91, 1],
    [268, 2],
    [FCHMODAT2, 2],
    [85, 1],
    [133, 1],
    [259, 2],
  ],
  opens: [
    [2, 1, 2],
    [257, 2, 3],
  ],
  namespaces: [56, 272],
  attributes: [188, 189, 190, SETXATTRAT],
  absent: [248, 249, 250, OPENAT2, IO_URING_SETUP, CLONE3],
};
const X86: Machine = {
  audit: 0x4000_0003,
  modes: [
    [15, 1],
    [94, 1],
    [306, 2],
    [FCHMODAT2, 2],
    [8, 1],
    [14, 1],
    [297, 2],
  ],
  opens: [
    [5, 1, 2],
    [295, 2, 3],
  ],
  namespaces: [120, 310],
  attributes: [226, 227, 228, SETXATTRAT],
  absent: [286, 287, 288, OPENAT2, IO_URING_SETUP, CLONE3],
};
const ARM64: Machine = {
  audit: 0xc000_00b7,
  modes: [
    [52, 1],
    [53, 2],
    [FCHMODAT2, 2],
    [33, 2],
  ],
  opens: [[56, 2, 3]],
  namespaces: [220, 97],
  attributes: [5, 6, 7, SETXATTRAT],
  absent: [217, 218, 219, OPENAT2, IO_URING_SETUP, CLONE3],
};
const ARM: Machine = {
  audit: 0x4000_0028,
  modes: [
    [15, 1],
    [94, 1],
    [333, 2],
    [FCHMODAT2, 2],
    [8, 1],
    [14, 1],
    [324, 2],
  ],
  opens: [
    [5, 1, 2],
    [322, 2, 3],
  ],
  namespaces: [120, 337],
  attributes: [226, 227, 228, SETXATTRAT],
  absent: [309, 310, 311, OPENAT2, IO_URING_SETUP, CLONE3],
};
/** By Node's name of the architecture, with the one whose programs run there as well. */
const MACHINES: Readonly<Record<string, readonly Machine[]>> = { x64: [X64, X86], arm64: [ARM64, ARM] };

/** Set-user-id and set-group-id. */
const SET_ID = 0o6000;
/** `CLONE_NEWCGROUP` */
const CONTROL_GROUPS = 0x0200_0000;
/** `O_CREAT` and `__O_TMPFILE`: without them a mode means nothing. */
const CREATES = 0x40 | 0x40_0000;

const [EPERM, ENOSYS, ENOTSUP] = [1, 38, 95];
const [LOAD, EQUAL, AT_LEAST, ANY_BIT, GO, END] = [0x20, 0x15, 0x35, 0x45, 0x05, 0x06];
const [NUMBER, ARCHITECTURE, ARGUMENTS] = [0, 4, 16];

/** Code, jumps if true and if false, operand. */
type Step = readonly [code: number, yes: number, no: number, operand: number];

const load = (at: number): Step => [LOAD, 0, 0, at];
/** The low half of an argument; both kinds of machine are little-endian. */
const argument = (which: number): Step => load(ARGUMENTS + which * 8);
const refuse = (errno: number): Step => [END, 0, 0, 0x0005_0000 | errno];
const ALLOW: Step = [END, 0, 0, 0x7fff_0000];
const isCall = (number: number, steps: readonly Step[]): Step[] => [[EQUAL, 0, steps.length, number], ...steps];

const machineSteps = ({ end, modes, opens, namespaces, attributes, absent }: Machine): Step[] => [
  load(NUMBER),
  ...(end === undefined ? [] : ([[AT_LEAST, 0, 1, end], refuse(ENOSYS)] satisfies Step[])),
  ...modes.flatMap(([number, mode]) => isCall(number, [argument(mode), [ANY_BIT, 0, 1, SET_ID], refuse(EPERM), ALLOW])),
  ...namespaces.flatMap((number) =>
    isCall(number, [argument(0), [ANY_BIT, 0, 1, CONTROL_GROUPS], refuse(EPERM), ALLOW]),
  ),
  ...opens.flatMap(([number, flags, mode]) =>
    isCall(number, [
      argument(flags),
      [ANY_BIT, 0, 3, CREATES],
      argument(mode),
      [ANY_BIT, 0, 1, SET_ID],
      refuse(EPERM),
      ALLOW,
    ]),
  ),
  ...attributes.flatMap((number) => isCall(number, [refuse(ENOTSUP)])),
  ...absent.flatMap((number) => isCall(number, [refuse(ENOSYS)])),
  ALLOW,
];

/**
 * @param architecture as Node names it
 * @returns the program as the kernel reads it; undefined for a machine whose calls are not known here
 */
export function callFilter(architecture: string): Uint8Array | undefined {
  const machines = MACHINES[architecture];
  if (machines === undefined) return undefined;
  const steps: Step[] = [
    load(ARCHITECTURE),
    ...machines.flatMap((machine): Step[] => {
      const inner = machineSteps(machine);
      return [[EQUAL, 1, 0, machine.audit], [GO, 0, 0, inner.length], ...inner];
    }),
    refuse(ENOSYS),
  ];
  const bytes = new DataView(new ArrayBuffer(steps.length * 8));
  for (const [at, [code, yes, no, operand]] of steps.entries()) {
    bytes.setUint16(at * 8, code, true);
    bytes.setUint8(at * 8 + 2, yes);
    bytes.setUint8(at * 8 + 3, no);
    bytes.setUint32(at * 8 + 4, operand, true);
  }
  return new Uint8Array(bytes.buffer);
}

/** A shell that knows one digit only can open it. */
const DESCRIPTOR = '9';

/** @param filter the file with the program; undefined for none */
export const filtering = (bwrap: string, filter: string | undefined): string[] =>
  filter === undefined
    ? [bwrap]
    : ['/bin/sh', '-c', `exec ${DESCRIPTOR}<"$0"; exec "$@"`, filter, bwrap, '--seccomp', DESCRIPTOR];
