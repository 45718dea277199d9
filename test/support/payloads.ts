/** Texts that would become a part of a page that takes them for HTML, for a link, for a script, or for an order. */
const TAGS = ['script', 'img', 'svg', 'iframe', 'object', 'embed', 'math', 'template', 'style', 'link', 'base', 'form'];
const EVENTS = ['onerror', 'onload', 'onclick', 'onfocus', 'onmouseover', 'ontoggle', 'onanimationstart'];
const RUN = 'globalThis.pwned=1';

const PLAIN = [
  ...[`javascript:${RUN}`, `JaVaScRiPt:${RUN}`, ` javascript:${RUN}`, `data:text/html,<script>${RUN}</script>`],
  ...[`vbscript:msgbox(1)`, `java\tscript:${RUN}`, `[click](javascript:${RUN})`, `![x](x"onerror="${RUN})`],
  ...['{{constructor.constructor("globalThis.pwned=1")()}}', `\${${RUN}}`, '<%= 1 %>', '{% raw %}', '__proto__'],
  ...['</title><script>', '</textarea><script>', '</style><script>', '--><script>', ']]><script>', '<!--', '<![CDATA['],
  ...['&lt;script&gt;', '&#60;script&#62;', '&#x3c;script&#x3e;', '\\u003cscript\\u003e', '%3Cscript%3E', '＜script＞'],
  ...['"}]},"head":null,"x":"', '\n\nevent: update\ndata: {}\n\n', 'data: x\r\ndata: y', '\u2028\u2029', '\u0000'],
  ...['\u202eelif.gpj', '\u001b]8;;http://x\u001b\\x', 'a\u0300'.repeat(50), '﷽'.repeat(20), '🏳️‍🌈', '\ud800'],
  ...['http://evil.example/', '//evil.example/', 'file:///etc/passwd', '#/login/board', '../../etc/passwd'],
];

export const PAYLOADS: readonly string[] = [
  ...TAGS.flatMap((tag) => [
    `<${tag} src=x onerror="${RUN}">`,
    `"><${tag}/onload=${RUN}>`,
    `<${tag}>${RUN}</${tag}>`,
    `<${tag.toUpperCase()} href="javascript:${RUN}" xlink:href="javascript:${RUN}">x`,
  ]),
  ...EVENTS.map((event) => `" autofocus tabindex=1 ${event}="${RUN}" x="`),
  `<a href="javascript:${RUN}">x</a>`,
  `<details open ontoggle=${RUN}>`,
  `<input autofocus onfocus=${RUN}>`,
  `<meta http-equiv="refresh" content="0;url=javascript:${RUN}">`,
  `<body onload=${RUN}>`,
  ...PLAIN,
];
