import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import unicorn from 'eslint-plugin-unicorn';
import ts from 'typescript-eslint';

const NODE_GLOBALS = ['AbortController', 'AbortSignal', 'Buffer', 'URL', 'clearInterval', 'clearTimeout', 'console'];
const NODE_GLOBALS_MORE = ['fetch', 'performance', 'process', 'setImmediate', 'setInterval', 'setTimeout'];
const COMMONJS_GLOBALS = ['__dirname', '__filename', 'module', 'require'];
const readable = (names) => Object.fromEntries(names.map((name) => [name, 'readonly']));

// `...(x === undefined ? {} : { x })`: a comparison with undefined that decides whether a key is spread.
const SPREAD = ':matches(SpreadElement, JSXSpreadAttribute)';
const isUndefined = (at) => `[${at}.type='Identifier'][${at}.name='undefined']`;
const COMPARISONS = ['test.right', 'test.left', 'test.left.right', 'test.right.right'].map(isUndefined).join();
const OPTIONAL_SPREADS = [
  `${SPREAD} > ConditionalExpression:matches(${COMPARISONS}):has(> ObjectExpression[properties.length=0])`,
  `${SPREAD} > LogicalExpression[operator='&&']${isUndefined('left.right')}[right.type='ObjectExpression']`,
];

export default defineConfig(
  globalIgnores(['dist', 'bench/.build', 'coverage', 'schemas', '.teams-example', 'test/fixtures/**/*.txt']),
  // No comment switches a rule off; what a rule is wrong about is decided here, for all.
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    plugins: { unicorn },
    rules: {
      eqeqeq: 'error',
      'no-console': 'off', // The rooms that may speak are test/architecture.test.ts's to know.
      'no-control-regex': 'off', // Terminal bytes are what some of our patterns are about.
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-restricted-syntax': [
        'error',
        ...OPTIONAL_SPREADS.map((selector) => ({
          selector,
          message:
            'Declare the property as `x?: T | undefined` and write `x`; where absence matters, use `defined({ x })`.',
        })),
        {
          selector: `TSUnionType > TSTypeLiteral > TSPropertySignature[key.name=/^(is|of|how|row|does|ended)$/] > TSTypeAnnotation > TSLiteralType`,
          message:
            'A union of data is told apart by `kind`, a union of commands by `do`; `type` is for stored and sent records.',
        },
      ],
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'prefer-template': 'error',
      'unicorn/no-useless-spread': 'error',
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: { globals: readable([...NODE_GLOBALS, ...NODE_GLOBALS_MORE]) },
  },
  {
    files: ['**/*.cjs', 'bin/*.js'],
    languageOptions: { sourceType: 'commonjs', globals: readable(COMMONJS_GLOBALS) },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [ts.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // `_` takes a place; `{ left, ...rest }` is how a key is left out.
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // An empty text is often as good as none: `name || 'anonymous'`.
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      '@typescript-eslint/prefer-optional-chain': 'error',
      '@typescript-eslint/prefer-readonly': 'error',
      // A number or a boolean in a message is what it looks like.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // `() => list.push(x)` as a callback is clear; a void value used as a value is not.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
    },
  },
  {
    // A branded name is made in one file only; a test may build what no parser would let through.
    files: ['src/model/text/names.ts', 'test/**/*.{ts,tsx}'],
    rules: { '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'as' }] },
  },
);
