/** What is broken in a drawn page, found in the browser. */
export interface DrawnFault {
  readonly kind: 'sideways' | 'cut' | 'covered' | 'empty';
  readonly what: string;
}

/** An expression for the browser; it gives a list of {@link DrawnFault}. */
export const FAULTS = `(() => {
  const found = [];
  const named = (one) => one.tagName.toLowerCase() + '.' + one.getAttribute('class') + ' "' + one.textContent.trim().slice(0, 40) + '"';
  // A dialog covers the page; on a phone the details do.
  const front = document.querySelector('dialog[open]') ?? (innerWidth < 860 ? document.querySelector('aside') : null);
  const isBehind = (one) => front !== null && !front.contains(one);
  const root = document.scrollingElement;
  if (root.scrollWidth > innerWidth + 1) {
    const wide = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1);
    found.push({ kind: 'sideways', what: root.scrollWidth + ' px: ' + wide.slice(0, 3).map(named).join(', ') });
  }
  for (const one of document.querySelectorAll('button, a, h1, h2, h3, b, p, td, th, label, dt, dd, .note')) {
    const style = getComputedStyle(one);
    const box = one.getBoundingClientRect();
    if (box.width < 2 || box.height < 2 || style.visibility === 'hidden') continue;
    const isClipped = style.overflowX === 'hidden' && one.scrollWidth > one.clientWidth + 1;
    if (isClipped && style.textOverflow !== 'ellipsis' && one.closest('[aria-hidden=true]') === null)
      found.push({ kind: 'cut', what: named(one) });
  }
  const current = document.querySelector('nav [aria-current]').getBoundingClientRect();
  if (current.left < 0 || current.right > innerWidth) found.push({ kind: 'cut', what: 'the name of the present view' });
  for (const one of document.querySelectorAll('.pair, .actions, .tile')) {
    const { height } = one.getBoundingClientRect();
    if (height > 120) found.push({ kind: 'empty', what: named(one) + ' is ' + height + ' px high' });
  }
  for (const one of document.querySelectorAll('.task-box text'))
    if (one.getBoundingClientRect().right > one.closest('.task-box').querySelector('rect').getBoundingClientRect().right)
      found.push({ kind: 'cut', what: named(one) });
  for (const one of document.querySelectorAll('button, input, select, textarea, a')) {
    const box = one.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    if (one.matches('.bar') || isBehind(one)) continue;
    if (box.width < 2 || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
    const top = document.elementFromPoint(x, y);
    if (top === null || one.contains(top) || top.contains(one)) continue;
    // Scrolled out of its own box, not covered.
    const holder = [...document.querySelectorAll('*')].filter((each) => each.contains(one)).find((each) => {
      const own = each.getBoundingClientRect();
      const isScrolled = /auto|scroll|hidden/.test(getComputedStyle(each).overflow);
      return isScrolled && (x < own.left || x > own.right || y < own.top || y > own.bottom);
    });
    if (holder === undefined) found.push({ kind: 'covered', what: named(one) + ' by ' + named(top) });
  }
  return found;
})()`;
