"""How the pages of health look: colours for light and dark, and a layout that fits a phone."""

from __future__ import annotations

__all__ = ["CURSOR", "STYLE", "document"]

STYLE = """
:root{--bg:#fff;--fg:#1d2330;--mute:#5a6475;--line:#dde2ea;--code:#f0f2f6;--A:#2f6fb2;--B:#b07a00;--band:#1b8a7622;
--sick:#bf4a28;--ok:#1b7f5f;--warn:#8a6000;--focus:#3346a8;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--bg:#1a1d26;--fg:#e4e7ee;--mute:#9ba5b6;--line:#353b4a;--code:#272c39;--A:#79b4ee;
--B:#e6bb4f;--band:#58c7ae22;--sick:#f18d6c;--ok:#5fd0a8;--warn:#e6bb4f;--focus:#a5b4ff}}
*{box-sizing:border-box}html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif}
main{max-width:880px;margin:0 auto;padding:20px 16px 64px}
h1{font-size:1.75rem;line-height:1.2;margin:.15em 0 .3em;font-weight:650;overflow-wrap:anywhere;text-wrap:balance}
h2{font-size:1.2rem;margin:2em 0 .5em;font-weight:650}p{margin:.5em 0;max-width:68ch;text-wrap:pretty}
article+article{border-top:3px solid var(--line);margin-top:56px;padding-top:28px}
.lead{font-size:1.13rem;line-height:1.5;max-width:62ch}.mute,.small{color:var(--mute)}.small{font-size:.85rem}
code{background:var(--code);padding:.1em .32em;border-radius:4px;overflow-wrap:anywhere;font:.87em ui-monospace,Menlo,Consolas,monospace}
pre{background:var(--code);padding:12px 14px;border-radius:8px;overflow:auto}pre code{background:none;padding:0}
:focus-visible{outline:2.5px solid var(--focus);outline-offset:2px;border-radius:4px}
.kick{display:flex;flex-wrap:wrap;gap:.3em .9em;align-items:center;font-size:.86rem;color:var(--mute)}
.tag{display:inline-flex;gap:.4em;align-items:center;font-weight:650}.tag i{display:inline-flex;width:1.35em;height:1.35em;border:1.5px
solid currentColor;border-radius:5px;align-items:center;justify-content:center;font-style:normal;line-height:1}
.t-error{color:var(--sick)}.t-warning{color:var(--warn)}.t-ok,.t-info{color:var(--ok)}
.glance{display:grid;grid-template-columns:repeat(3,1fr);margin:1.1em 0;border:1px solid var(--line);border-radius:10px}
.glance>div{padding:12px 14px}.glance>div+div{border-left:1px solid var(--line)}.glance b.h{display:block;font-size:.78rem;color:var(--mute)}
.glance .big{font-weight:650}.glance p{margin:.15em 0;font-size:.9rem;line-height:1.45}
ol.do{padding-left:1.3em}ol.do li{margin:.5em 0;max-width:68ch}ol.do label{cursor:pointer}
.ch{border:1px solid var(--line);border-radius:10px;padding:6px 14px 8px;margin-top:.8em;touch-action:pan-y;position:relative}
.c1{padding:8px 0 2px}.c1+.c1{border-top:1px solid var(--line)}.hd{display:flex;flex-wrap:wrap;gap:0 .7em;align-items:baseline;font-size:.9rem}
.hd code{background:none;padding:0;font-weight:650}.hd .v{margin-left:auto;font-weight:650;font-variant-numeric:tabular-nums}
.hd .w{color:var(--mute);font-size:.84rem}.box{position:relative;padding-bottom:16px}.box svg{display:block;width:100%;height:110px}
.c1.big .box svg{height:150px}.ax{position:absolute;bottom:0;font-size:11px;line-height:14px;color:var(--mute);white-space:nowrap}
.ax.on{color:var(--sick);font-weight:650;transform:translateX(-50%)}.ax.top{bottom:auto;top:0;left:3px;text-shadow:0 0 3px var(--bg)}
.cur{position:absolute;top:0;bottom:16px;width:1px;background:var(--fg);opacity:.55;pointer-events:none;display:none}
.key{display:flex;flex-wrap:wrap;gap:.3em 1.2em;font-size:.84rem;color:var(--mute);margin:.6em 0 0}.key span{display:inline-flex;gap:.45em;
align-items:center}.key i{width:18px;height:11px;border-radius:2px;display:inline-block}
.chain{list-style:none;padding:0;margin:.5em 0}.chain li{display:grid;grid-template-columns:6.2rem minmax(0,1fr);gap:.2em .8em;
padding:.55em 0;border-bottom:1px solid var(--line)}.chain p{margin:0}.chain .st{font-variant-numeric:tabular-nums;color:var(--mute);font-size:.9rem}
table{border-collapse:collapse;width:100%;font-size:.92rem}th{text-align:left;font-weight:600;color:var(--mute);font-size:.8rem}
td,th{padding:.5em .6em .5em 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
.lab{display:inline-block;border:1px solid var(--line);border-radius:999px;padding:0 .6em;font-size:.8rem;color:var(--mute);white-space:nowrap}
details{border-top:1px solid var(--line)}details:last-of-type{border-bottom:1px solid var(--line)}summary{cursor:pointer;padding:.55em 0;font-weight:600}
.wide{overflow-x:auto}.index td,.index th{overflow-wrap:normal;white-space:nowrap}
.index td:nth-child(2),.index td:last-child{overflow-wrap:anywhere;white-space:normal;min-width:11em}.index a{color:var(--A)}
@media(max-width:640px){h1{font-size:1.45rem}.glance{grid-template-columns:1fr}.glance>div+div{border-left:0;border-top:1px solid var(--line)}
.lead{font-size:1.05rem}.rows,.rows tbody,.rows tr,.rows td{display:block}.rows tr:first-child{display:none}.rows td{border:0;padding:.08em 0}
.index td[data-l]::before{content:attr(data-l) " "}
.rows tr{border-bottom:1px solid var(--line);padding:.55em 0}.hd .w{flex-basis:100%;order:3}.chain li{grid-template-columns:1fr}}
"""

CURSOR = """
document.querySelectorAll('.ch').forEach(function(ch){var cs=[].slice.call(ch.querySelectorAll('.c1')).map(function(c){
return{c:c,s:JSON.parse(c.dataset.s),v:JSON.parse(c.dataset.y),o:c.querySelector('.v'),b:c.querySelector('.box'),l:c.querySelector('.cur'),t:c.querySelector('.v').textContent}});
function show(f){cs.forEach(function(c){var n=c.s.length,a=+ch.dataset.a,z=+ch.dataset.z,w=a+f*(z-a),i=0;while(i<n-1&&Math.abs(c.s[i+1]-w)<=Math.abs(c.s[i]-w))i++;
c.o.textContent=Number(c.v[i].toPrecision(4))+' at '+Math.round(c.s[i]);c.l.style.display='block';c.l.style.left=(100*(c.s[i]-a)/((z-a)||1))+'%'})}
function hide(){cs.forEach(function(c){c.o.textContent=c.t;c.l.style.display='none'})}
var k=1;ch.tabIndex=0;ch.addEventListener('pointermove',function(e){var r=cs[0].b.getBoundingClientRect();show(Math.max(0,Math.min(1,(e.clientX-r.left)/r.width)))});
ch.addEventListener('pointerleave',hide);ch.addEventListener('keydown',function(e){var d={ArrowRight:.01,ArrowLeft:-.01,PageUp:.1,PageDown:-.1,Home:-2,End:2}[e.key];
if(d){k=Math.max(0,Math.min(1,k+d));show(k);e.preventDefault()}else if(e.key=='Escape')hide()})});
"""


def document(title: str, body: str) -> str:
    """Return a page that needs nothing from elsewhere."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
        f"<script>{CURSOR}</script>\n</body>\n</html>\n"
    )
