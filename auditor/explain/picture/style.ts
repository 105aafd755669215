const COLOURS = {
  light: { bg: '#ffffff', panel: '#f6f8fa', text: '#1b1f24', muted: '#545d68', line: '#d0d7de', ink: '#0b0d10', no: '#b3261e', c0: '#e4e7eb', c1: '#c3dbf7', c2: '#fbdcae', c3: '#bfe6cd', c4: '#dfd0f7', e0: '#6b7480', e1: '#2a69ac', e2: '#9a5b00', e3: '#1f7a4a', e4: '#6b3fc0', ok: '#1a6b3c', warn: '#7d4e00', link: '#0b57b0' },
  dark: { bg: '#0f141a', panel: '#171d25', text: '#e6edf3', muted: '#a3adb8', line: '#38424d', ink: '#ffffff', no: '#ff8f85', c0: '#333c46', c1: '#1e4470', c2: '#63430f', c3: '#1d5137', c4: '#4a3575', e0: '#95a0ac', e1: '#6fb3ff', e2: '#f0b252', e3: '#63c78d', e4: '#bd9df7', ok: '#6fd397', warn: '#f0b252', link: '#7db8ff' },
} as const;

const variables = (colours: Readonly<Record<string, string>>): string => Object.entries(colours).map(([name, value]) => `--${name}:${value}`).join(';');
const each = (from: number, to: number, rule: (n: number) => string): string => Array.from({ length: to - from + 1 }, (_, index) => rule(from + index)).join('');

/** Light by default, dark for who prefers it, light on paper. */
export function colourRules(root: string): string {
  return `${root}{${variables(COLOURS.light)}}@media (prefers-color-scheme:dark){${root}{${variables(COLOURS.dark)}}}@media print{${root}{${variables(COLOURS.light)}}}`;
}

/** Rules of the picture itself; the same in a page and alone. */
export function pictureRules(): string {
  return [
    '.pic{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;font-size:11px;fill:var(--text);background:var(--bg)}',
    '.bg{fill:var(--bg)}.alt{fill:var(--panel)}.rule{stroke:var(--line);fill:none}',
    '.lane{font-size:12px;font-weight:600}text.wit,.tick{font-size:10px;fill:var(--muted)}.band{font-size:14px;font-weight:700}.step{font-weight:600}',
    each(0, 4, (n) => `.k${n} .box{fill:var(--c${n});stroke:var(--e${n})}.k${n} .hat{stroke:var(--e${n})}.k${n} .dot{fill:var(--e${n});stroke:var(--bg)}.k${n} .num{fill:var(--bg);stroke:var(--e${n})}`),
    '.box.wait{fill:var(--bg);stroke-dasharray:3 2}.hat{stroke-width:1;opacity:.55;fill:none}.num{stroke-width:1.4}.x{stroke:var(--text);stroke-width:1.5;fill:var(--bg)}',
    '.mid,.sq{text-anchor:middle;font-size:10px}.sq{fill:var(--bg);font-weight:700}',
    '.label{pointer-events:none}.lab{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}',
    each(0, 4, (n) => `.k${n} .in{stroke:var(--c${n})}`),
    '.out{stroke:var(--bg)}.in.wait{stroke:var(--bg)}.crowd{fill:var(--e0)}',
    '.proof path{stroke:var(--ink);stroke-width:1.3;fill:none}.proof .lead{stroke-dasharray:1.5 2;stroke-width:1}.proof .head{fill:var(--ink);stroke:none}.badge{fill:var(--ink)}.bt{fill:var(--bg);font-weight:700;font-size:9.5px;text-anchor:middle}.proof .name{font-weight:600;font-size:10.5px;stroke:var(--bg);paint-order:stroke;stroke-width:3px;stroke-linejoin:round;fill:var(--ink)}',
    '.proof.not path{stroke:var(--no);stroke-dasharray:4 3}.proof.not .head,.proof.not .badge{fill:var(--no)}.proof.not .name{fill:var(--no)}.proof.unknown path{stroke:var(--muted);stroke-dasharray:1.5 3}.proof.unknown .head,.proof.unknown .badge,.proof.unknown .name{fill:var(--muted)}',
    '.title{font-size:18px;font-weight:700}.sub{font-size:12px;fill:var(--muted)}.holds{fill:var(--ok)}.fails{fill:var(--no)}.unproven,.open,.unjudged{fill:var(--warn)}.state{font-weight:700}',
    `@media print{.pic{print-color-adjust:exact;-webkit-print-color-adjust:exact}}`,
  ].join('');
}
