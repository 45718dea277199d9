/**
 * Compiles a module of src/ for the bundles: a module that it imports is evaluated at the first
 * use of one of its names, and a schema is made at its first use. What a run does not use costs no time.
 *
 * The output is CommonJS. It reads an imported name anew at each use: a check and a property.
 */
import ts from 'typescript';

/** @typedef {{ load: string, name: string | undefined }} Imported the expression that loads a module; undefined is the module itself */

/**
 * @param {string} text an ES module in JavaScript
 * @param {string} file its name, for errors
 * @returns {string} the same module in CommonJS
 * @throws Error for syntax that this does not know
 */
export function lazyModule(text, file) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS);
  const module = new LazyModule(source);
  for (const statement of source.statements) module.add(statement);
  return module.toString();
}

class LazyModule {
  /** @type {Map<string, Imported>} by its local name */
  #imports = new Map();
  /** Local names whose value is made at the first use. */
  #late = new Set();
  /** @type {string[]} */
  #head = [];
  /** @type {string[]} */
  #body = [];
  /** @type {Map<string, string>} exported name → expression that is read at each use */
  #getters = new Map();
  /** What exports functions, which are there before the first statement runs. */
  #hoisted = [];
  #source;

  /** @param {ts.SourceFile} source */
  constructor(source) {
    this.#source = source;
    for (const statement of source.statements) if (ts.isImportDeclaration(statement)) this.#import(statement);
    for (const statement of source.statements) if (ts.isVariableStatement(statement)) this.#findLate(statement);
  }

  /** @param {ts.Statement} statement */
  add(statement) {
    if (ts.isImportDeclaration(statement)) return;
    if (ts.isExportDeclaration(statement)) this.#reexport(statement);
    else if (ts.isExportAssignment(statement)) throw this.#unknown(statement);
    else {
      this.#body.push(this.#rewritten(statement));
      if (isExported(statement)) this.#export(statement);
    }
  }

  toString() {
    const getters = [...this.#getters].map(
      ([name, value]) => `${JSON.stringify(name)}: { enumerable: true, get: () => ${value} }`,
    );
    const once =
      this.#late.size === 0 ? [] : ['const $once = (make) => { let made; return () => (made ??= make()); };'];
    return [
      "Object.defineProperty(exports, '__esModule', { value: true });",
      ...(getters.length === 0 ? [] : [`Object.defineProperties(exports, { ${getters.join(', ')} });`]),
      ...this.#hoisted,
      ...once,
      ...this.#head,
      ...this.#body,
    ].join('\n');
  }

  /** @param {ts.ImportDeclaration} statement */
  #import({ importClause, moduleSpecifier }) {
    const path = moduleSpecifier.text;
    if (importClause === undefined) {
      this.#head.push(`require(${JSON.stringify(path)});`);
      return;
    }
    const load = this.#loader(path);
    const { name, namedBindings } = importClause;
    if (name) this.#imports.set(name.text, { load, name: path.startsWith('node:') ? undefined : 'default' });
    if (namedBindings === undefined) return;
    if (ts.isNamespaceImport(namedBindings)) this.#imports.set(namedBindings.name.text, { load, name: undefined });
    else
      for (const one of namedBindings.elements)
        this.#imports.set(one.name.text, { load, name: (one.propertyName ?? one.name).text });
  }

  /** @returns the expression that loads a module at its first use: no call afterwards, as it is in every line */
  #loader(path) {
    const module = `$${this.#head.length}`;
    this.#head.push(`let ${module};`);
    return `(${module} ??= require(${JSON.stringify(path)}))`;
  }

  /** A plain value costs less than a getter at each use; only what changes or is made late needs one. */
  #export(statement) {
    for (const name of declaredBy(statement))
      if (this.#late.has(name) || isChanging(statement)) this.#getters.set(name, this.#valueOf(name));
      else (ts.isFunctionDeclaration(statement) ? this.#hoisted : this.#body).push(`exports.${name} = ${name};`);
  }

  /** @param {ts.VariableStatement} statement */
  #findLate({ declarationList }) {
    if ((declarationList.flags & ts.NodeFlags.Const) === 0) return;
    for (const { name, initializer } of declarationList.declarations)
      if (ts.isIdentifier(name) && initializer && this.#isMadeLate(initializer)) this.#late.add(name.text);
  }

  /** A schema by another name; a call on zod, on a schema, or of what makes a schema; or nothing but such calls in a list or an object. */
  #isMadeLate(initializer) {
    const parts = partsOf(initializer);
    if (parts !== undefined)
      return parts.length > 0 && parts.every((one) => this.#isSchema(one) || this.#isMadeLate(one));
    if (!ts.isCallExpression(initializer)) return this.#isSchema(initializer);
    let first = initializer;
    while (ts.isCallExpression(first) || ts.isPropertyAccessExpression(first)) first = first.expression;
    return this.#isSchema(first) || (ts.isIdentifier(first) && MAKERS.has(first.text));
  }

  /** By its name. */
  #isSchema(expression) {
    return ts.isIdentifier(expression) && (this.#late.has(expression.text) || /schema$/i.test(expression.text));
  }

  /** @param {ts.ExportDeclaration} statement */
  #reexport(statement) {
    const { exportClause, moduleSpecifier } = statement;
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) throw this.#unknown(statement);
    const load = moduleSpecifier && this.#loader(moduleSpecifier.text);
    for (const { name, propertyName } of exportClause.elements) {
      const local = (propertyName ?? name).text;
      this.#getters.set(name.text, load === undefined ? this.#valueOf(local) : `${load}.${local}`);
    }
  }

  /** The expression that a name of this module stands for. */
  #valueOf(name) {
    const imported = this.#imports.get(name);
    if (imported) return imported.name === undefined ? imported.load : `${imported.load}.${imported.name}`;
    return this.#late.has(name) ? `${name}()` : name;
  }

  /** @param {ts.Statement} statement */
  #rewritten(statement) {
    /** @type {{ start: number, end: number, text: string }[]} */
    const edits = [];
    for (const modifier of statement.modifiers ?? [])
      if (modifier.kind === ts.SyntaxKind.ExportKeyword)
        edits.push({ start: modifier.getStart(), end: modifier.end, text: '' });
    if (ts.isVariableStatement(statement))
      for (const { name, initializer } of statement.declarationList.declarations)
        if (ts.isIdentifier(name) && this.#late.has(name.text)) {
          edits.push({ start: initializer.getStart(), end: initializer.getStart(), text: '$once(() => (' });
          edits.push({ start: initializer.end, end: initializer.end, text: '))' });
        }
    this.#visit(statement, [], edits);
    return applied(this.#source.text, statement, edits);
  }

  /**
   * @param {ts.Node} node
   * @param {readonly Set<string>[]} scopes names that are declared inside of the statement
   */
  #visit(node, scopes, edits) {
    const inner = namesOf(node);
    const known = inner.size === 0 || node.parent === this.#source ? scopes : [...scopes, inner];
    if (ts.isIdentifier(node)) this.#visitName(node, scopes, edits);
    else ts.forEachChild(node, (child) => this.#visit(child, known, edits));
  }

  /** @param {ts.Identifier} node */
  #visitName(node, scopes, edits) {
    if (!this.#imports.has(node.text) && !this.#late.has(node.text)) return;
    if (!isRead(node) || scopes.some((names) => names.has(node.text))) return;
    const value = this.#valueOf(node.text);
    const { parent } = node;
    const at = { start: node.getStart(), end: node.end };
    if (ts.isShorthandPropertyAssignment(parent)) edits.push({ ...at, text: `${node.text}: ${value}` });
    else if (ts.isCallExpression(parent) && parent.expression === node) edits.push({ ...at, text: `(0, ${value})` });
    else if (ts.isTaggedTemplateExpression(parent)) edits.push({ ...at, text: `(0, ${value})` });
    else edits.push({ ...at, text: ts.isNewExpression(parent) && parent.expression === node ? `(${value})` : value });
  }

  #unknown(node) {
    const { line } = this.#source.getLineAndCharacterOfPosition(node.getStart());
    return new Error(`${this.#source.fileName}:${line + 1}: the build has no late form of this import or export.`);
  }
}

/** `z`, and functions of src/ that make a schema, or what reads by one. */
const MAKERS = new Set(['z', 'closed', 'named', 'compiledWhenHot', 'plainObject', 'plainLooseObject']);

/** @returns {ts.Expression[] | undefined} the values of a list or an object; undefined for anything else */
function partsOf(expression) {
  if (ts.isArrayLiteralExpression(expression)) return [...expression.elements];
  if (!ts.isObjectLiteralExpression(expression)) return undefined;
  return expression.properties.map((one) => one.initializer ?? one.expression ?? one.name);
}

const isExported = (statement) =>
  statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

/** @param {ts.Statement} statement */
const isChanging = (statement) =>
  ts.isVariableStatement(statement) && (statement.declarationList.flags & ts.NodeFlags.Const) === 0;

/** @param {ts.Statement} statement */
function declaredBy(statement) {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
  return statement.name === undefined ? [] : [statement.name.text];
}

/** @returns {string[]} the names that a pattern binds */
function namesIn(pattern) {
  if (ts.isIdentifier(pattern)) return [pattern.text];
  return pattern.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []));
}

/** @returns {Set<string>} the names that a node declares for what is inside of it */
function namesOf(node) {
  const names = new Set();
  const add = (list) => {
    for (const name of list) names.add(name);
  };
  if (ts.isFunctionLike(node)) {
    for (const { name } of node.parameters) add(namesIn(name));
    if (ts.isFunctionExpression(node) && node.name) names.add(node.name.text);
  }
  if (ts.isClassExpression(node) && node.name) names.add(node.name.text);
  if (ts.isCatchClause(node) && node.variableDeclaration) add(namesIn(node.variableDeclaration.name));
  if ((ts.isForStatement(node) || ts.isForInStatement(node) || ts.isForOfStatement(node)) && node.initializer)
    if (ts.isVariableDeclarationList(node.initializer))
      add(node.initializer.declarations.flatMap(({ name }) => namesIn(name)));
  const statements = ts.isBlock(node)
    ? node.statements
    : ts.isCaseBlock(node)
      ? node.clauses.flatMap((one) => [...one.statements])
      : [];
  for (const statement of statements)
    if (ts.isVariableStatement(statement) || ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
      add(declaredBy(statement));
  return names;
}

/** True if an identifier reads a variable: it is no key, no name of a member and no declaration. */
function isRead(node) {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  if (ts.isVariableDeclaration(parent) || ts.isParameter(parent)) return parent.initializer === node;
  if (ts.isPropertyDeclaration(parent)) return parent.initializer === node;
  if (ts.isLabeledStatement(parent) || ts.isBreakOrContinueStatement(parent) || ts.isMetaProperty(parent)) return false;
  return parent.name !== node;
}

/** The text of a statement with its edits, which do not overlap. */
function applied(text, statement, edits) {
  const start = statement.getStart();
  let result = '';
  let at = start;
  for (const edit of edits.sort((one, other) => one.start - other.start || one.end - other.end)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at, statement.end);
}
