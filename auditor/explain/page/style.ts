import { GATE_NAMES } from '../../../evidence/gate-names.ts';
import { GUTTER, WIDTH } from '../picture/layout.ts';
import { colourRules, pictureRules } from '../picture/style.ts';

const share = (width: number): string => `${((width / WIDTH) * 100).toFixed(3)}%`;
const WHOLE_PICTURE = `.scroll .gutter{width:${share(GUTTER)}}.scroll .plot{width:${share(WIDTH - GUTTER)}}.scroll svg{height:auto;max-width:100%}`;

/** Everything of the page that is not its words, on screens of any width and on paper. Nothing moves. */
export function pageRules(): string {
  return [
    colourRules(':root'),
    ':root{color-scheme:light dark}*{box-sizing:border-box}html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}',
    'body{margin:0;background:var(--bg);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;overflow-wrap:anywhere}',
    'header,main,footer{max-width:1240px;margin:0 auto;padding:0 1rem}header{padding-top:1.5rem}h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}h2{font-size:1.25rem;margin:2.5rem 0 .5rem}p{margin:.4rem 0;max-width:75ch}',
    'a{color:var(--link);text-underline-offset:.15em}a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}',
    '.skip{position:absolute;left:-200rem}.skip:focus{left:1rem;top:.5rem;background:var(--bg);padding:.25rem .5rem}nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;padding:0;margin:.75rem 0;list-style:none}',
    'dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.75rem 0}dt{color:var(--muted)}dd{margin:0}.note{border-left:4px solid var(--ok);padding:.25rem .75rem;background:var(--panel)}.bad{border-left-color:var(--no)}',
    '.sideways{display:none}@media(max-width:1059px){.sideways{display:block}}figure{margin:1rem 0}.scroll{display:flex;overflow-x:auto;border:1px solid var(--line);border-radius:6px;background:var(--bg)}.scroll svg{flex:none;display:block}.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;list-style:none;padding:0;margin:.6rem 0;font-size:.9rem}.legend li{display:flex;gap:.35rem}.legend svg{flex:none;overflow:visible;margin-top:.3em}.scroll .gutter{position:sticky;left:0;z-index:1;border-right:1px solid var(--line)}figcaption,.quiet,.sideways{color:var(--muted);font-size:.9rem}pre{overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;background:var(--panel);padding:.5rem .75rem;font:.85em/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}',
    // a little less than the picture's own width: smaller rather than moved along
    `@media(min-width:1060px) and (max-width:1232px){${WHOLE_PICTURE}}`,
    '.pic a{cursor:pointer}.pic .mark a:hover .box,.pic .mark a:hover .dot,.pic .mark a:focus-visible .box{stroke-width:2.5}.pic .proof a:hover .name,.pic .proof a:focus-visible .name{text-decoration:underline}.pic a:focus-visible{outline:2px solid var(--link)}',
    'table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.5rem .6rem;border-top:1px solid var(--line)}th{font-size:.85rem;color:var(--muted)}code{font:.92em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}',
    '.who{width:21rem}.state{font-weight:700}.state.holds{color:var(--ok)}.state.fails{color:var(--no)}.state.unproven,.state.open,.state.unjudged{color:var(--warn)}.num{display:inline-block;min-width:1.6em;white-space:nowrap;overflow-wrap:normal;text-align:center;font-weight:700;background:var(--ink);color:var(--bg);border-radius:4px;padding:0 .3em;font-size:.85rem}',
    '.chips{list-style:none;padding:0;margin:1rem 0;columns:20rem 3;column-gap:1.5rem}.chips li{break-inside:avoid;padding:.1rem 0 .1rem 3rem;text-indent:-3rem;font-size:.92rem}.chips li>*{text-indent:0}.chips .num{margin:0 .45em 0 .1em}.chips .state{display:inline-block;width:1.1em}',
    'details{margin:.4rem 0}summary{cursor:pointer;color:var(--link)}.rules{list-style:none;margin:.3rem 0;padding-left:.2rem}.rules>li{margin:.35rem 0}.seen{margin:.1rem 0 .1rem 1.4rem;padding:0;list-style:none;font-size:.88rem}.seen li{margin:.1rem 0}.wit{color:var(--muted)}.met{color:var(--ok);font-weight:700}.unmet{color:var(--no);font-weight:700}',
    'tr:target,li:target{background:var(--panel);outline:2px solid var(--ink);outline-offset:-2px}.run{padding-left:0;list-style:none}.run>li{padding:.15rem .4rem}.run .at{font-variant-numeric:tabular-nums;color:var(--muted);display:inline-block;min-width:6.2em}h3{font-size:1rem;margin:1.2rem 0 .3rem}',
    '@media(max-width:700px){table,tbody,tr,td{display:block}thead{position:absolute;left:-200rem}tr{border-top:1px solid var(--line);padding:.5rem 0}td{border:0;padding:.15rem .6rem}tr{margin:0 -.6rem}.who{width:auto}.scroll .gutter{width:84px}.gutter .lane{font-size:9.5px}.gutter .wit{font-size:9px}.gutter text{transform:translateX(-3px)}dl{grid-template-columns:1fr}dt{margin-top:.4rem}}',
    `@media print{@page{size:A4;margin:12mm}${WHOLE_PICTURE}body{font-size:10pt}nav,.skip,.hint,.sideways{display:none}.scroll{border:0;overflow:visible}.scroll .gutter{position:static;border:0}.goes{display:none}.chips{columns:2}.legend{font-size:8pt}h2{break-after:avoid}tr,li{break-inside:avoid}figure{break-inside:avoid}details:not([open])>:not(summary){display:none}a{color:inherit;text-decoration:none}}`,
    pictureRules(),
    ...GATE_NAMES.map((_, index) => `.plot:has(#marks-${index + 1}:target) .g${index + 1} path{stroke-width:3}.plot:has(#marks-${index + 1}:target) .proof:not(.g${index + 1}){opacity:.22}`),
  ].join('');
}
