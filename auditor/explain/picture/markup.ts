/** Text that is markup already. Nothing else goes into a picture or page unescaped. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Child = Markup | string | number | null | readonly Child[];
type Attributes = Readonly<Record<string, string | number | null>>;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
// oxlint-disable-next-line no-control-regex -- what no XML may hold, and what turns the direction of what follows, is shown as a replacement character
const UNFIT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]/g;

/** Evidence is hostile until proven otherwise: no character of it may begin markup, end an attribute or reorder the text around it. */
export function escape(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (each) => ESCAPES[each] ?? '').replace(UNFIT, '\ufffd');
}

/** An element; attributes that are null are left out. */
export function element(name: string, attributes: Attributes = {}, ...children: readonly Child[]): Markup {
  const given = Object.entries(attributes).map(([key, value]) => (value === null ? '' : ` ${key}="${typeof value === 'number' ? toShort(value) : escape(value)}"`));
  const inner = children.map(render).join('');
  const begin = `<${name}${given.join('')}`;
  return new Markup(VOID.has(name) ? `${begin}>` : LEAVES.has(name) ? `${begin}/>` : `${begin}>${inner}</${name}>`);
}

/** Elements of HTML that have no end, and shapes of SVG that hold nothing. To a reader of HTML any other one without an end stays open. */
const VOID = new Set(['meta', 'wbr', 'br']);
const LEAVES = new Set(['rect', 'path', 'circle']);

function render(child: Child): string {
  if (child === null) return '';
  if (child instanceof Markup) return child.text;
  if (typeof child === 'string') return escape(child);
  return typeof child === 'number' ? String(child) : child.map(render).join('');
}

/** A tenth of a unit is seen by nobody. */
function toShort(value: number): string {
  return String(Math.round(value * 10) / 10);
}
