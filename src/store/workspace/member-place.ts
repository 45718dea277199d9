/**
 * A short-lived directory for one isolation: its socket and the users that a program inside sees. Its path is short,
 * because the path of a socket has at most 107 bytes.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface MemberPlace {
  /** In a directory of its own, which is lent. */
  readonly socket: string;
  readonly passwd: string;
  readonly group: string;
  remove(): void;
}

export function makeMemberPlace({ home, uid }: { readonly home: string; readonly uid: number }): MemberPlace {
  const directory = mkdtempSync(join(tmpdir(), 'teams-'));
  const [passwd, group, sockets] = ['passwd', 'group', 's'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(sockets, { mode: 0o700 });
  writeFileSync(
    passwd,
    `root:x:0:0:root:/root:/bin/sh\nmember:x:${uid}:${uid}:member:${home}:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n`,
    { mode: 0o644 },
  );
  writeFileSync(group, `root:x:0:\nmember:x:${uid}:\nnogroup:x:65534:\n`, { mode: 0o644 });
  return {
    socket: join(sockets, 'sock'),
    passwd,
    group,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
