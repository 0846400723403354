(() => {
  'use strict';
  const all = (query, within = document) => [...within.querySelectorAll(query)];
  const runs = all('.runs li').map((row) => ({row, run: +row.dataset.r, name: row.dataset.n, box: row.querySelector('input')}));
  const names = new Map(runs.map((item) => [item.run, item.name]));
  const style = document.head.appendChild(document.createElement('style'));
  const status = document.querySelector('.at');
  const strips = all('.strip');
  const seen = new Set();
  const off = new Set();
  const FEW = 6;
  let lit = null;

  const charts = all('.ch').map((figure) => ({
    figure, plot: figure.querySelector('.pl'), cursor: figure.querySelector('.cur'), value: figure.querySelector('.v'),
    first: +figure.dataset.a, last: +figure.dataset.z, still: figure.querySelector('.v').textContent, lines: null,
  }));
  const of = new Map(charts.map((chart) => [chart.figure, chart]));

  function lines(chart) {
    if (!chart.lines) {
      chart.lines = JSON.parse(chart.figure.dataset.d).map(([run, distances, values, grey, smooth]) => {
        let step = 0;
        return {run, values, grey, smooth, steps: distances.map((distance) => (step += distance))};
      });
    }
    return chart.lines.filter((line) => !off.has(line.run));
  }
  function nearest(line, step) {
    let low = 0, high = line.steps.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (line.steps[middle] < step) low = middle + 1; else high = middle;
    }
    if (low && step - line.steps[low - 1] <= line.steps[low] - step) low -= 1;
    return low;
  }
  const number = (value) => value === null ? 'NaN' : String(Number(value.toPrecision(4)));
  const place = (step) => Math.round(step).toLocaleString('en');

  // Where many lines are, the one that is nearest to the pointer speaks for all charts.
  function under(chart, step, share) {
    let best = null, least = Infinity;
    const low = +chart.figure.dataset.l, high = +chart.figure.dataset.h;
    for (const line of lines(chart)) {
      const at = nearest(line, step), value = line.values[at];
      if (value === null || line.steps[0] > step || line.steps[line.steps.length - 1] < step) continue;
      const gap = Math.abs((value - low) / ((high - low) || 1) - share);
      if (gap < least) { least = gap; best = line.run; }
    }
    return best;
  }
  function tell(chart, step) {
    const shown = lines(chart), few = new Set(shown.map((line) => line.run)).size <= FEW;
    const told = few ? shown : shown.filter((line) => line.run === lit);
    chart.value.textContent = '';
    for (const line of told) {
      const at = nearest(line, step), part = document.createElement('span');
      const name = names.get(line.run), reach = (chart.last - chart.first) / 50;
      const beyond = step > line.steps[line.steps.length - 1] + reach || step < line.steps[0] - reach;
      part.textContent = `${line.grey ? '≠ ' : ''}${name ? `${name} ` : ''}${beyond ? '–' : (line.smooth ? '~' : '') + number(line.values[at])}${name ? '' : ` @ ${place(line.steps[at])}`}`;
      part.className = line.grey ? 'mute' : `r${line.run}`;
      chart.value.append(part);
    }
    if (!told.length) chart.value.textContent = chart.still;
  }
  function show(first, last, share) {
    const step = first + share * (last - first);
    for (const chart of charts) {
      if (!seen.has(chart.figure)) continue;
      const at = (step - chart.first) / ((chart.last - chart.first) || 1);
      chart.cursor.style.display = at >= 0 && at <= 1 ? 'block' : 'none';
      chart.cursor.style.left = `${100 * at}%`;
      tell(chart, step);
    }
    for (const strip of strips) {
      const cursor = strip.querySelector('.cur');
      cursor.style.display = 'block';
      cursor.style.left = `${100 * (step - strip.dataset.a) / ((strip.dataset.z - strip.dataset.a) || 1)}%`;
    }
    if (status) status.textContent = `${status.dataset.t} ${place(step)}${lit !== null && names.get(lit) ? ` · ${names.get(lit)}` : ''}`;
  }
  function hide() {
    light(null);
    for (const chart of charts) { chart.cursor.style.display = 'none'; chart.value.textContent = chart.still; }
    for (const strip of strips) strip.querySelector('.cur').style.display = 'none';
    if (status) status.textContent = '';
  }
  function paint() {
    const hidden = [...off].map((run) => `.c.r${run}{display:none}`).join('');
    const dimmed = lit === null ? '' : `.c:not(.r${lit}){opacity:.14}.c.r${lit}{stroke-width:2.6}`;
    style.textContent = hidden + dimmed;
    for (const item of runs) { item.row.classList.toggle('off', off.has(item.run)); item.row.classList.toggle('lit', item.run === lit); }
  }
  function light(run) { if (run !== lit) { lit = run; paint(); } }

  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) seen.add(entry.target); else seen.delete(entry.target);
  }, {rootMargin: '80px'});
  for (const chart of charts) {
    watcher.observe(chart.figure);
    let share = 1;
    const point = (event) => {
      const box = chart.plot.getBoundingClientRect();
      share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
      const step = chart.first + share * (chart.last - chart.first);
      if (runs.length > FEW) light(under(chart, step, Math.max(0, Math.min(1, 1 - (event.clientY - box.top) / box.height))));
      show(chart.first, chart.last, share);
    };
    chart.plot.addEventListener('pointermove', point);
    chart.plot.addEventListener('pointerdown', point);
    chart.plot.addEventListener('pointerleave', (event) => { if (event.pointerType === 'mouse') hide(); });
    chart.plot.addEventListener('blur', hide);
    chart.plot.addEventListener('keydown', (event) => {
      const by = {ArrowRight: .01, ArrowLeft: -.01, PageUp: .1, PageDown: -.1, Home: -2, End: 2}[event.key];
      if (by) { share = Math.max(0, Math.min(1, share + by)); show(chart.first, chart.last, share); event.preventDefault(); }
      else if (event.key === 'Escape') hide();
    });
    chart.figure.querySelector('figcaption').addEventListener('dblclick', () => chart.figure.classList.toggle('big'));
  }
  for (const item of runs) {
    item.box.addEventListener('change', () => { if (item.box.checked) off.delete(item.run); else off.add(item.run); paint(); });
    item.row.addEventListener('pointerenter', () => light(item.run));
    item.row.addEventListener('pointerleave', () => light(null));
  }
  const search = document.querySelector('.bar input');
  if (search) {
    const found = document.querySelector('.found');
    const filter = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const chart of charts) {
        const fits = words.every((word) => chart.figure.dataset.q.includes(word));
        chart.figure.hidden = !fits;
        count += fits;
      }
      for (const section of all('section')) section.hidden = !section.querySelector('.ch:not([hidden])');
      for (const part of all('details.more')) if (words.length && part.querySelector('.ch:not([hidden])')) part.open = true;
      if (found) found.textContent = words.length ? `${count} / ${charts.length}` : '';
    };
    search.addEventListener('input', filter);
    document.addEventListener('keydown', (event) => {
      if (event.key === '/' && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) { search.focus(); event.preventDefault(); }
    });
  }
  const order = new Intl.Collator(undefined, {numeric: true});
  for (const table of all('table.index')) {
    const [head, ...below] = table.rows;
    // Sorted are runs: the line that says how many more there are stays the last.
    const rows = below.filter((row) => row.cells.length === head.cells.length);
    const places = new Map(rows.map((row, place) => [row, place]));
    const heads = [...head.cells];
    heads.forEach((cell, column) => {
      const button = document.createElement('button');
      button.textContent = cell.textContent;
      cell.replaceChildren(button);
      button.addEventListener('click', () => {
        const back = cell.ariaSort === 'ascending';
        // Runs are listed by their verdict, the sickest first.
        const text = (row) => row.cells[column].textContent;
        const rank = (a, b) => places.get(a) - places.get(b);
        const by = column ? (a, b) => order.compare(text(a), text(b)) || rank(a, b) : rank;
        rows.sort((a, b) => (back ? -by(a, b) : by(a, b)));
        head.after(...rows);
        for (const other of heads) other.ariaSort = other === cell ? (back ? 'descending' : 'ascending') : null;
      });
    });
    heads[0].ariaSort = 'ascending';
  }
  for (const button of all('.bar button')) {
    button.addEventListener('click', () => {
      for (const item of runs) { item.box.checked = button.dataset.all === '1'; if (item.box.checked) off.delete(item.run); else off.add(item.run); }
      paint();
    });
  }
})();
