/** Routing of tasks (docs/specification.md R8.6): the domain by signal words, and which rule decides first. */
import { describe, expect, it } from 'vitest';
import { classify, route, type RouteRequest } from '../../../src/policy/divide/routing.ts';
import { complexityOf } from '../../../src/policy/divide/complexity.ts';
import { hits } from '../../../src/policy/divide/signals.ts';
import { name } from '../world.ts';

describe('the worked examples of the specification', () => {
  it.each([
    ['Add user authentication with JWT', 'backend', 'sonnet', 'codex'],
    ['Create responsive profile page component', 'frontend', 'haiku', 'gemini'],
    ['Refactor auth module and update login UI', 'ambiguous', 'sonnet', 'claude'],
  ])('%s → %s, %s, %s', (text, domain, tier, agent) => {
    expect(classify(text).domain).toBe(domain);
    expect(complexityOf(text).tier).toBe(tier);
    expect(route({ ...request, text }).agent).toBe(agent);
  });
});

const request: RouteRequest = {
  text: 'Write the API server',
  byType: false,
  isAvailable: () => true,
  defaultAgent: 'claude',
  defaultRole: name('executor'),
};

describe('classify', () => {
  it.each([
    ['Fix the React components', 'frontend', [], ['component', 'react']],
    ['authentication and authorization', 'backend', ['auth'], []],
    ['Dockerize the databases', 'backend', ['database', 'docker'], []],
    ['API, api, APIs and an API', 'backend', ['api'], []],
    ['guide the author to a capital', 'ambiguous', [], []],
    ['REST api for the color theme layout', 'frontend', ['api', 'rest'], ['layout', 'color', 'theme']],
    ['', 'ambiguous', [], []],
  ])('%j is %s', (text, domain, backend, frontend) => {
    expect(classify(text)).toEqual({ domain, words: { backend, frontend } });
  });
});

describe('route', () => {
  it.each<[string, Partial<RouteRequest>, string, string]>([
    [
      'a flag decides before everything',
      { flag: 'ollama', template: ['gemini'], type: 'review', byType: true },
      'ollama',
      'executor',
    ],
    [
      'a template decides before type and domain',
      { template: ['gemini'], type: 'review', byType: true },
      'gemini',
      'executor',
    ],
    [
      'a template without an available agent uses the default',
      { template: ['gemini'], isAvailable: () => false },
      'claude',
      'executor',
    ],
    ['the type decides where it may', { text: 'Review the UI', type: 'review', byType: true }, 'codex', 'designer'],
    ['the type decides nowhere else', { text: 'Review the UI', type: 'review' }, 'gemini', 'designer'],
    ['backend goes to codex', {}, 'codex', 'executor'],
    ['backend without codex goes to an executor', { isAvailable: () => false }, 'claude', 'executor'],
    [
      'frontend without gemini goes to a designer',
      { text: 'Style the UI', isAvailable: () => false },
      'claude',
      'designer',
    ],
    [
      'an ambiguous domain goes to the default role',
      { text: 'Tidy up', defaultRole: name('debugger') },
      'claude',
      'debugger',
    ],
  ])('%s', (_, rest, agent, role) => {
    expect(route({ ...request, ...rest })).toMatchObject({ agent, role });
  });

  it('a route gives its reason', () => {
    expect(route(request).why).toBe('backend: api, server');
    expect(route({ ...request, isAvailable: () => false }).why).toBe('backend: api, server; codex is not available');
    expect(route({ ...request, text: 'auth for the UI' }).why).toBe('ambiguous: auth against ui');
    expect(route({ ...request, text: 'Tidy up' }).why).toBe('no signal word names a domain');
  });
});

describe('hits', () => {
  it.each([
    ['a whole word only', 'capital', ['api'], []],
    ['plurals', 'queues, boxes and queries', ['queue', 'box', 'query'], ['queue', 'box', 'query']],
    ['stems where they are marked', 'animations', ['animat~'], ['animat']],
    ['a hyphen as a space', 'dark mode, DARK-MODE', ['dark-mode'], ['dark mode']],
    ['spellings of one word once', 'colour and color', ['color|colour'], ['color']],
    ['no special characters in the text', '$& \\ (api) [ui]*', ['api', 'ui'], ['api', 'ui']],
  ])('signal words match %s', (_, text, words, found) => {
    expect(hits(text, words)).toEqual(found);
  });
});
