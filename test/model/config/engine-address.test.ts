import { describe, expect, it } from 'vitest';
import { parseEngineAddress, shownAddress } from '../../../src/model/config/engine-address.ts';

describe('the address of a store', () => {
  it.each([
    [
      'postgres://db.example.org/agents',
      { hosts: [{ host: 'db.example.org', port: 5432 }], database: 'agents', tls: 'verified' },
    ],
    [
      'postgresql://ada@localhost:6000/a%20b',
      { user: 'ada', hosts: [{ host: 'localhost', port: 6000 }], database: 'a b', tls: 'off' },
    ],
    [
      'postgres://127.0.0.1/x?sslmode=verify-ca&sslrootcert=/etc/ca.pem',
      { tls: 'certified', authorities: '/etc/ca.pem' },
    ],
    [
      'postgres://a:1,b,[fe80::2]:3/x',
      {
        hosts: [
          { host: 'a', port: 1 },
          { host: 'b', port: 5432 },
          { host: 'fe80::2', port: 3 },
        ],
      },
    ],
    ['postgres:///x?host=/run/postgresql', { hosts: [{ host: '/run/postgresql', port: 5432 }], tls: 'off' }],
    ['postgres://10.0.0.1/x?sslmode=disable', { tls: 'off' }],
    ['postgres://localhost,db.example.org/x', { tls: 'verified' }],
    ['postgres://ada:@h/x', { user: 'ada', password: undefined }],
  ])('%s', (text, expected) => {
    const address = parseEngineAddress(text, 'argument');
    expect(address).toMatchObject(expected);
    expect(parseEngineAddress(shownAddress(address), 'argument')).toEqual(address);
  });

  it.each([
    ['mysql://h/x', /is no URL of PostgreSQL/],
    ['', /is no URL of PostgreSQL/],
    ['postgres://h/x#frag', /is no URL of PostgreSQL/],
    ['postgres://h:99999/x', /a host that cannot be read/],
    ['postgres://h:p4ss/x', /a host that cannot be read/],
    ['postgres://h/x?sslmode=constructor', /sslmode=constructor; it can be disable, require/],
    ['postgres://h/x?sslmode=maybe', /sslmode=maybe; it can be disable, require, verify-ca, verify-full/],
    ['postgres://h/x?password=p4ss', /has the parameter password/],
    ['postgres://a%zz@h/x', /a % that begins no character/],
    ['postgres://ada:p4ss@h/x', /other users of this machine can read.*TEAMS_STORE/],
  ])('%s is refused, and not quoted', (text, why) => {
    const parse = (): unknown => parseEngineAddress(text, 'argument');
    expect(parse).toThrow(
      expect.objectContaining({ code: 'USAGE', exitCode: 2, message: expect.stringMatching(why) as string }),
    );
    expect(parse).not.toThrow(/p4ss/);
  });

  it('has its password from the environment alone, and shows it nowhere', () => {
    const address = parseEngineAddress('postgres://ada:p%404ss@h/x', 'environment');
    expect(address.password).toBe('p@4ss');
    expect(shownAddress(address)).toBe('postgres://ada@h/x');
    expect(() => parseEngineAddress('postgres://ada:p4ss@h/x', 'file')).toThrow(/stays in a file that is shared/);
  });
});
