/**
 * The facts of a TypeScript source, without running it: its imports, the global names that it uses without declaring or
 * importing them, and a few constructs. `architecture.ts` judges them.
 */
import ts from 'typescript';

export interface Import {
  readonly from: string;
  readonly line: number;
  /** `type` leaves no trace at run time; `lazy` is an `import()`. */
  readonly way: 'static' | 'lazy' | 'type';
  /** `import * as x`. */
  readonly isNamespace: boolean;
}

/** A use of a global name: `Date.now`, `new Date()`, `fetch`, or a construct: `async`, `shell: true`. */
export interface Use {
  readonly what: string;
  readonly line: number;
}

export interface Facts {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  readonly uses: readonly Use[];
}

/** An `import()` whose address is not a plain string. */
export const COMPUTED = '(computed)';

/** @param sources path → text; paths are only names, nothing is read */
export function factsOf(sources: ReadonlyMap<string, string>): Facts[] {
  // Without libraries and without following imports, a name that does not resolve is a global one.
  const options = { noLib: true, noResolve: true, types: [], jsx: ts.JsxEmit.ReactJSX, target: ts.ScriptTarget.ESNext };
  const program = ts.createProgram([...sources.keys()], options, hostOf(sources));
  const checker = program.getTypeChecker();
  return [...sources].map(([path, text]) => {
    const file = program.getSourceFile(path);
    if (file === undefined) throw new Error(`${path} is no TypeScript source.`);
    const nodes = [...below(file)];
    return { path, text, imports: nodes.flatMap(importsOf(file)), uses: nodes.flatMap(usesOf(file, checker)) };
  });
}

function hostOf(sources: ReadonlyMap<string, string>): ts.CompilerHost {
  return {
    getSourceFile: (path, target) => {
      const text = sources.get(path);
      return text === undefined ? undefined : ts.createSourceFile(path, text, target, true);
    },
    fileExists: (path) => sources.has(path),
    readFile: (path) => sources.get(path),
    getDefaultLibFileName: () => 'lib.d.ts',
    getCurrentDirectory: () => '',
    getCanonicalFileName: (path) => path,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    writeFile: () => undefined,
  };
}

function* below(node: ts.Node): Generator<ts.Node> {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) {
    yield child;
    yield* below(child);
  }
}

const lineOf = (file: ts.SourceFile, node: ts.Node): number =>
  file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;

const importsOf =
  (file: ts.SourceFile) =>
  (node: ts.Node): Import[] => {
    const seen = (address: ts.Node | undefined, way: Import['way'], isNamespace = false): Import[] => {
      const from = address !== undefined && ts.isStringLiteralLike(address) ? address.text : COMPUTED;
      return [{ from, line: lineOf(file, node), way, isNamespace }];
    };
    if (ts.isImportDeclaration(node)) {
      const bindings = node.importClause?.namedBindings;
      const isNamespace = bindings !== undefined && ts.isNamespaceImport(bindings);
      return seen(node.moduleSpecifier, isOnlyTypes(node.importClause) ? 'type' : 'static', isNamespace);
    }
    if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined)
      return seen(node.moduleSpecifier, node.isTypeOnly ? 'type' : 'static');
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      return seen(node.arguments[0], 'lazy');
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      return seen(node.argument.literal, 'type', true);
    return [];
  };

function isOnlyTypes(clause: ts.ImportClause | undefined): boolean {
  return clause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

const usesOf =
  (file: ts.SourceFile, checker: ts.TypeChecker) =>
  (node: ts.Node): Use[] => {
    const what = useOf(node, checker);
    return what === undefined ? [] : [{ what, line: lineOf(file, node) }];
  };

function useOf(node: ts.Node, checker: ts.TypeChecker): string | undefined {
  if (node.kind === ts.SyntaxKind.AsyncKeyword) return 'async';
  if (ts.isPropertyAssignment(node) && node.initializer.kind === ts.SyntaxKind.TrueKeyword)
    return isNamed(node.name, 'shell') ? 'shell: true' : undefined;
  return ts.isIdentifier(node) && isReference(node) && isAmbient(node, checker) ? nameOfUse(node) : undefined;
}

const isNamed = (name: ts.PropertyName, text: string): boolean =>
  (ts.isIdentifier(name) || ts.isStringLiteral(name)) && name.text === text;

/** False for names that only label something: members, keys, types. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  return !(
    ts.isTypeNode(parent) ||
    ts.isQualifiedName(parent) ||
    ts.isMetaProperty(parent) ||
    ts.isJsxAttribute(parent)
  );
}

function isAmbient(node: ts.Identifier, checker: ts.TypeChecker): boolean {
  if (node.text === 'globalThis') return true;
  const symbol = ts.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node);
  return symbol === undefined;
}

function nameOfUse(node: ts.Identifier): string {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return `${node.text}.${parent.name.text}`;
  if (ts.isNewExpression(parent) && parent.expression === node)
    return parent.arguments?.length ? `new ${node.text}(…)` : `new ${node.text}()`;
  return ts.isCallExpression(parent) && parent.expression === node ? `${node.text}()` : node.text;
}
