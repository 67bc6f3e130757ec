// SPDX-License-Identifier: GPL-2.0-or-later
// Draws the charts of the page and keeps them on one range of time.
"use strict";
(function () {
  var data = JSON.parse(document.getElementById("chart-data").textContent);
  var all = [], busy = false, first = Infinity, last = -Infinity;
  data.forEach(function (c) {
    if (c.x.length) { first = Math.min(first, c.x[0]); last = Math.max(last, c.x[c.x.length - 1]); }
  });
  var from = document.getElementById("from"), to = document.getElementById("to");

  function number(v) {
    if (v === null || v === undefined || isNaN(v)) { return "–"; }
    var a = Math.abs(v);
    return a >= 1000 ? Math.round(v).toLocaleString("en") : a >= 100 ? v.toFixed(0) : a >= 10 ? v.toFixed(1) : a >= 1 || a === 0 ? v.toFixed(2) : v.toPrecision(2);
  }
  function show(range) {
    from.value = range[0].toPrecision(6) * 1;
    to.value = range[1].toPrecision(6) * 1;
  }
  function synchronise(graph, initial) {
    if (busy || initial) { return; }
    busy = true;
    var range = graph.xAxisRange();
    all.forEach(function (g) { if (g !== graph) { g.updateOptions({ dateWindow: range }); } });
    show(range);
    busy = false;
  }
  if (typeof Dygraph !== "undefined") {
    // The legends are ours; the library's own sets style attributes, which the page's policy forbids.
    Dygraph.PLUGINS = Dygraph.PLUGINS.filter(function (p) { return p !== Dygraph.Plugins.Legend; });
  }
  function draw(c) {
    var div = document.getElementById("plot-" + c.id);
    if (!div || typeof Dygraph === "undefined" || c.x.length === 0) { return; }
    var rows = c.x.map(function (x, i) {
      return [x].concat(c.series.map(function (s) { return c.log && s.y[i] <= 0 ? null : s.y[i]; }));
    });
    var options = {}, values = [], boxes = div.nextElementSibling;
    c.series.forEach(function (s, i) {
      options[s.label] = { strokePattern: s.dashed ? [5, 4] : null, fillGraph: s.filled, stepPlot: s.steps };
      var label = document.createElement("label"), box = document.createElement("input"), line = document.createElement("i"),
        value = document.createElement("span");
      box.type = "checkbox";
      box.checked = !s.hidden;
      box.addEventListener("change", function () { graph.setVisibility(i, box.checked); });
      line.className = "swatch";
      line.style.background = s.color;
      value.className = "value";
      values.push(value);
      label.append(box, " ", line, s.label, value);
      boxes.append(label);
    });
    var graph = new Dygraph(div, rows, {
      labels: ["seconds"].concat(c.series.map(function (s) { return s.label; })),
      colors: c.series.map(function (s) { return s.color; }),
      visibility: c.series.map(function (s) { return !s.hidden; }),
      series: options, logscale: c.log, legend: "never", ylabel: c.unit, strokeWidth: 1.4, fillAlpha: 0.18,
      drawPoints: c.log || rows.length < 60, pointSize: 1.6, highlightCircleSize: 3, includeZero: !c.log,
      gridLineColor: "rgba(128,138,148,0.28)", axisLineColor: "rgba(128,138,148,0.7)", rightGap: 12,
      yAxisLabelWidth: 52, axes: { x: { axisLabelFormatter: function (x) { return number(x) + " s"; } },
        y: { axisLabelFormatter: number } },
      dateWindow: [first, last], drawCallback: synchronise,
      highlightCallback: function (event, x, points) {
        values.forEach(function (v) { v.textContent = ""; });
        points.forEach(function (p) {
          c.series.forEach(function (s, i) { if (s.label === p.name) { values[i].textContent = number(p.yval) + " " + c.unit; } });
        });
      },
      unhighlightCallback: function () { values.forEach(function (v) { v.textContent = ""; }); }
    });
    all.push(graph);
  }
  function zoom(range) {
    if (all.length && range[0] < range[1]) { all[0].updateOptions({ dateWindow: range }); synchronise(all[0], false); }
  }
  var choice = document.getElementById("sender");
  function choose() {
    document.querySelectorAll("[data-group=senders]").forEach(function (e) {
      e.hidden = e.dataset.choice !== choice.value;
    });
    all.forEach(function (g) { if (g.maindiv_.offsetParent !== null) { g.resize(); } });
  }
  data.forEach(draw);
  if (choice) { choice.addEventListener("change", choose); choose(); }
  if (from && all.length) {
    show([first, last]);
    document.getElementById("whole").addEventListener("click", function () { zoom([first, last]); });
    [from, to].forEach(function (e) { e.addEventListener("change", function () { zoom([+from.value, +to.value]); }); });
  }
  // A canvas that is drawn anew for printing comes out blank in Chromium: the pictures are made to fit the paper.
  var closed = [];
  addEventListener("beforeprint", function () {
    closed = Array.from(document.querySelectorAll("details:not([open])"));
    closed.forEach(function (d) { d.open = true; });
    all.forEach(function (g) {
      var div = g.maindiv_, width = div.offsetWidth;
      if (width > 0) {
        div.style.width = width + "px";
        div.style.zoom = Math.min(1, 680 / width);
      }
    });
  });
  addEventListener("afterprint", function () {
    closed.forEach(function (d) { d.open = false; });
    all.forEach(function (g) { g.maindiv_.style.width = g.maindiv_.style.zoom = ""; });
  });
  // For tests: how many were drawn, and how many milliseconds after the page was asked for.
  document.documentElement.dataset.plots = all.length;
  document.documentElement.dataset.ready = Math.round(performance.now());
})();
