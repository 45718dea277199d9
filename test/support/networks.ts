/**
 * `Networks`: a network namespace for each of several "machines", joined by a bridge in one more, and cut off one by one.
 * The namespaces of this machine are not touched. Without root, or where namespaces are forbidden, all are this machine
 * and cannot be cut off (`canCut`).
 *
 *     const net = Networks.open(['e1', 'h1']);
 *     spawn(...net.within('h1', ['node', '…']));
 *     net.cut('h1', 'both');
 */
import { spawnSync } from 'node:child_process';
import { userInfo } from 'node:os';

/** `out`: what it sends is lost; `in`: what it would receive. */
export type Cut = 'both' | 'out' | 'in';

const NOWHERE = '02:00:00:00:00:fe';

export class Networks {
  readonly canCut: boolean;
  readonly #prefix: string;
  readonly #names: readonly string[];

  private constructor(names: readonly string[], prefix: string | undefined) {
    this.#names = names;
    this.canCut = prefix !== undefined;
    this.#prefix = prefix ?? '';
  }

  static open(names: readonly string[]): Networks {
    const prefix = `teams${String(process.pid)}`;
    const has = userInfo().uid === 0 && spawnSync('ip', ['netns', 'add', `${prefix}-switch`]).status === 0;
    if (!has) {
      process.stderr.write('SKIPPED: no network namespaces (root and iproute2); nothing is cut off.\n');
      return new Networks(names, undefined);
    }
    const net = new Networks(names, prefix);
    const hub = `${prefix}-switch`;
    ip('-n', hub, 'link', 'add', 'br0', 'type', 'bridge');
    ip('-n', hub, 'link', 'set', 'br0', 'up');
    for (const name of names) {
      const own = net.#space(name);
      ip('netns', 'add', own);
      ip('-n', hub, 'link', 'add', `v-${name}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', own);
      ip('-n', hub, 'link', 'set', `v-${name}`, 'master', 'br0', 'up');
      ip('-n', own, 'link', 'set', 'lo', 'up');
      ip('-n', own, 'link', 'set', 'eth0', 'address', net.#hardware(name), 'up');
      ip('-n', own, 'address', 'add', `${net.address(name)}/24`, 'dev', 'eth0');
      for (const other of names) if (other !== name) net.#know(name, other, net.#hardware(other));
    }
    return net;
  }

  /** All are this machine. */
  static none(): Networks {
    return new Networks([], undefined);
  }

  close(): void {
    if (!this.canCut) return;
    for (const name of [...this.#names, 'switch']) spawnSync('ip', ['netns', 'delete', this.#space(name)]);
  }

  address(name: string): string {
    return this.canCut ? `10.77.0.${String(this.#names.indexOf(name) + 10)}` : '127.0.0.1';
  }

  /** @returns the program and its arguments */
  within(name: string, [program = '', ...argv]: readonly string[]): [string, string[]] {
    if (!this.canCut) return [program, argv];
    return ['ip', ['netns', 'exec', this.#space(name), program, ...argv]];
  }

  cut(name: string, how: Cut): void {
    if (how === 'both') ip('-n', `${this.#prefix}-switch`, 'link', 'set', `v-${name}`, 'down');
    else this.#mislead(name, how, () => NOWHERE);
  }

  heal(name: string): void {
    ip('-n', `${this.#prefix}-switch`, 'link', 'set', `v-${name}`, 'up');
    this.#mislead(name, 'out', (other) => this.#hardware(other));
    this.#mislead(name, 'in', () => this.#hardware(name));
  }

  /** Frames to hardware that nobody has are lost, and those the other way are not. */
  #mislead(name: string, how: 'out' | 'in', hardware: (other: string) => string): void {
    for (const other of this.#names) {
      if (other === name) continue;
      if (how === 'out') this.#know(name, other, hardware(other));
      else this.#know(other, name, hardware(other));
    }
  }

  #know(name: string, other: string, hardware: string): void {
    const at = [this.address(other), 'lladdr', hardware, 'dev', 'eth0', 'nud', 'permanent'];
    ip('-n', this.#space(name), 'neigh', 'replace', ...at);
  }

  readonly #space = (name: string): string => `${this.#prefix}-${name}`;
  readonly #hardware = (name: string): string => `02:00:00:00:00:${(this.#names.indexOf(name) + 16).toString(16)}`;
}

function ip(...argv: string[]): void {
  const { status, stderr } = spawnSync('ip', argv, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${argv.join(' ')}: ${stderr}`);
}
