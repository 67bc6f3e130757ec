// SPDX-License-Identifier: GPL-2.0-or-later
// Draws the charts of the page and keeps them on one range of time.
"use strict";
(function () {
  var data = JSON.parse(document.getElementById("chart-data").textContent);
  var marks = JSON.parse(document.getElementById("finding-marks").textContent);
  var all = [], busy = false, first = Infinity, last = -Infinity, label_height = 19;
  data.forEach(function (c) {
    if (c.x.length) { first = Math.min(first, c.x[0]); last = Math.max(last, c.x[c.x.length - 1]); }
  });
  if (!(first < last)) { first -= 0.0005; last = first + 0.001; }
  var from = document.getElementById("from"), to = document.getElementById("to"), range_button = document.getElementById("range");

  function number(v) {
    if (v === null || v === undefined || isNaN(v)) { return "–"; }
    var a = Math.abs(v);
    return a >= 1000 ? Math.round(v).toLocaleString("en") : a >= 100 ? v.toFixed(0) : a >= 10 ? v.toFixed(1) : a >= 1 || a === 0 ? v.toFixed(2) : v.toPrecision(2);
  }
  // Labels of an axis: no digits that all of them lack.
  function tick(v) {
    var a = Math.abs(v);
    return a >= 1000 ? Math.round(v).toLocaleString("en") : String(+v.toPrecision(3));
  }
  // Ticks of a logarithmic axis: 1, 2 and 5 of each decade, or only 1 where there would be too many.
  function log_ticks(from, to, pixels, get) {
    var ticks = [], decades = Math.log10(to / from), digits = pixels / decades > 90 ? [1, 2, 5] : pixels / decades > 45 ? [1, 3] : [1];
    for (var d = Math.floor(Math.log10(from)); d <= Math.log10(to); d += decades * 22 > pixels ? 2 : 1) {
      digits.forEach(function (n) {
        var v = n * Math.pow(10, d);
        if (v >= from && v <= to) { ticks.push({ v: v, label: get("axisLabelFormatter")(v) }); }
      });
    }
    if (ticks.length < 2) { // within a part of a decade, even steps
      var step = Math.pow(10, Math.floor(Math.log10((to - from) / 3)));
      step *= (to - from) / step >= 15 ? 5 : (to - from) / step >= 6 ? 2 : 1; // three of them at least
      ticks = [];
      for (var i = Math.ceil(from / step); i * step <= to; i++) { ticks.push({ v: i * step, label: get("axisLabelFormatter")(i * step) }); }
    }
    return ticks;
  }
  function seconds(x, range) {
    return x.toFixed(Math.max(0, Math.min(9, 1 - Math.floor(Math.log10((range[1] - range[0]) / 4)))));
  }
  function show(range) {
    var digits = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(range[1] - range[0])))), step = Math.pow(10, -digits);
    from.value = +Math.max(0, Math.floor(range[0] / step) * step).toFixed(digits);
    to.value = +(Math.ceil(range[1] / step) * step).toFixed(digits);
    range_button.dataset.copy = "--range " + from.value + ".." + to.value;
  }
  function synchronise(graph, initial) {
    if (busy || initial) { return; }
    busy = true;
    var range = graph.xAxisRange();
    all.forEach(function (g) { if (g !== graph) { g.updateOptions({ dateWindow: range }); } });
    show(range);
    busy = false;
  }

  // The findings' numbers and titles in a strip above the plot, their waits as bands, their frames as lines. A title
  // that has no room is left out: its number leads to the finding.
  var narrow_plot = 620; // no title in it
  function label_of(mark, with_title) {
    var a = document.createElement("a"), n = document.createElement("b");
    a.className = "mark " + mark.severity;
    a.href = "#finding-" + mark.number;
    a.title = mark.title;
    n.textContent = mark.number;
    a.append(n);
    if (with_title) { a.append(" " + mark.title); }
    return a;
  }
  function labels(graph, strip) {
    var area = graph.getArea(), right = area.x + area.w, range = graph.xAxisRange(), taken = [], findings = [];
    strip.textContent = "";
    marks.forEach(function (m) {
      var all_of = [], of = function (t, band) { all_of.push({ mark: m, x: graph.toDomXCoord(t), band: band, placed: null }); };
      m.at.forEach(function (t) { if (t >= range[0] && t <= range[1]) { of(t, false); } });
      m.spans.forEach(function (s) { // in the middle of what is seen of it
        var begin = Math.max(s[0], range[0]), end = Math.min(s[1], range[1]);
        if (begin <= end) { of((begin + end) / 2, true); }
      });
      if (all_of.length) { findings.push(all_of.sort(function (a, b) { return a.x - b.x; })); }
    });
    function is_free(x, width) {
      return x >= 0 && x + width <= right + 8 && !taken.some(function (t) { return x < t.to + 4 && t.from < x + width + 4; });
    }
    // Puts a label where it belongs; one that must be there goes to the nearest free place, which may be beside its line.
    function place(w, with_title, must) {
      var a = label_of(w.mark, with_title);
      strip.append(a);
      var width = a.offsetWidth, x = with_title ? w.x - 9 : w.x - width / 2, places = [x];
      if (with_title) { places.push(w.x + 9 - width); } // to the left of its line
      if (must) {
        taken.forEach(function (t) { places.push(t.to + 4, t.from - 4 - width); });
        places.push(0, right + 8 - width);
        places.sort(function (a, b) { return Math.abs(a - x) - Math.abs(b - x); });
      }
      var at = places.find(function (p) { return is_free(p, width); });
      if (at === undefined) {
        a.remove();
        return false;
      }
      a.style.left = at + "px";
      w.placed = { from: at, to: at + width, element: a };
      taken.push(w.placed);
      return true;
    }
    // Puts the title in place of the finding's number at this line.
    function place_title(w) {
      var number = w.placed;
      if (number) { taken.splice(taken.indexOf(number), 1); }
      if (place(w, true, false)) {
        if (number) { number.element.remove(); }
        return true;
      }
      if (number) { taken.push(number); }
      return false;
    }
    // Each finding has a number; then come those of its bands, then titles in the order of the findings, then all others.
    findings.forEach(function (f) { place(f[0], false, true); });
    findings.forEach(function (f) { f.forEach(function (w) { if (w.band && !w.placed) { place(w, false, false); } }); });
    if (area.w >= narrow_plot) { findings.forEach(function (f) { f.some(place_title); }); }
    findings.forEach(function (f) { f.forEach(function (w) { if (!w.placed) { place(w, false, false); } }); });
  }
  function findings_plugin() {
    var strip;
    return {
      activate: function (graph) {
        strip = document.createElement("div");
        strip.className = "marks";
        graph.graphDiv.append(strip);
        return {
          layout: function (e) { if (marks.length) { e.reserveSpaceTop(label_height); } },
          willDrawChart: function (e) {
            var ctx = e.drawingContext, g = e.dygraph, area = g.getArea(), range = g.xAxisRange();
            ctx.save();
            ctx.beginPath();
            ctx.rect(area.x, area.y - 3, area.w, area.h + 3);
            ctx.clip();
            marks.forEach(function (m) {
              var rgb = m.severity === "problem" ? "214,69,59" : m.severity === "notice" ? "200,130,20" : "128,138,148";
              ctx.fillStyle = "rgba(" + rgb + ",0.13)";
              m.spans.forEach(function (s) {
                var a = g.toDomXCoord(s[0]), b = g.toDomXCoord(s[1]);
                ctx.fillRect(a, area.y, Math.max(1, b - a), area.h);
              });
              ctx.strokeStyle = "rgba(" + rgb + ",0.75)";
              ctx.lineWidth = 1;
              ctx.setLineDash([3, 3]);
              m.at.forEach(function (t) {
                if (t < range[0] || t > range[1]) { return; }
                var x = Math.round(g.toDomXCoord(t)) + 0.5;
                ctx.beginPath();
                ctx.moveTo(x, area.y - 3);
                ctx.lineTo(x, area.y + area.h);
                ctx.stroke();
              });
            });
            ctx.restore();
          },
          didDrawChart: function (e) { labels(e.dygraph, strip); },
          clearChart: function () { strip.textContent = ""; }
        };
      },
      destroy: function () { strip.remove(); }
    };
  }

  if (typeof Dygraph !== "undefined") {
    // The legends are ours; the library's own sets style attributes, which the page's policy forbids.
    Dygraph.PLUGINS = Dygraph.PLUGINS.filter(function (p) { return p !== Dygraph.Plugins.Legend; });
  }
  // A line goes on across null, and ends at NaN, which is what false stands for.
  function value_of(c, v) { return v === false || (c.log && v !== null && v <= 0) ? NaN : v; }
  function draw(c) {
    var div = document.getElementById("plot-" + c.id);
    if (!div || typeof Dygraph === "undefined" || c.x.length === 0) { return; }
    var rows = c.x.map(function (x, i) {
      return [x].concat(c.series.map(function (s) { return value_of(c, s.y[i]); }));
    });
    var options = {}, values = [], boxes = div.nextElementSibling, time = document.createElement("span");
    time.className = "value";
    c.series.forEach(function (s, i) {
      options[s.label] = { strokePattern: s.dashed ? [5, 4] : null, fillGraph: s.filled, stepPlot: s.steps };
      var label = document.createElement("label"), box = document.createElement("input"), line = document.createElement("i"),
        value = document.createElement("span");
      box.type = "checkbox";
      box.checked = !s.hidden;
      box.addEventListener("change", function () { graph.setVisibility(i, box.checked); label.classList.toggle("off", !box.checked); });
      label.classList.toggle("off", s.hidden);
      line.className = "swatch";
      line.style.background = s.color;
      value.className = "value";
      values.push(value);
      label.append(box, " ", line, s.label, value);
      boxes.append(label);
    });
    boxes.append(time);
    function clear() { values.concat(time).forEach(function (v) { v.textContent = ""; }); }
    var graph = new Dygraph(div, rows, {
      labels: ["seconds"].concat(c.series.map(function (s) { return s.label; })),
      colors: c.series.map(function (s) { return s.color; }),
      visibility: c.series.map(function (s) { return !s.hidden; }), connectSeparatedPoints: true, plugins: [findings_plugin()],
      series: options, logscale: c.log, legend: "never", ylabel: c.unit, strokeWidth: 1.4, fillAlpha: 0.18,
      drawPoints: c.log || rows.length < 60, pointSize: 1.6, highlightCircleSize: 3, includeZero: !c.log,
      gridLineColor: "rgba(128,138,148,0.28)", axisLineColor: "rgba(128,138,148,0.7)", rightGap: 12,
      yAxisLabelWidth: 52, xAxisHeight: 20, axes: {
        x: { axisLabelFormatter: function (x, granularity, get, g) { return +seconds(x, g.xAxisRange()) + " s"; }, pixelsPerLabel: div.offsetWidth < 700 ? 60 : 80 },
        y: c.log ? { axisLabelFormatter: tick, ticker: log_ticks } : { axisLabelFormatter: tick } },
      yRangePad: c.log ? 8 : null,
      dateWindow: [first, last], drawCallback: synchronise,
      highlightCallback: function (event, x, points) {
        clear();
        time.textContent = "at " + seconds(x, this.xAxisRange()) + " s";
        points.forEach(function (p) {
          var known = p.yval !== null && p.yval !== undefined && !isNaN(p.yval);
          c.series.forEach(function (s, i) { if (s.label === p.name) { values[i].textContent = number(p.yval) + (known ? " " + c.unit : ""); } });
        });
      },
      unhighlightCallback: clear
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
  addEventListener("beforeprint", function () {
    all.forEach(function (g) {
      var div = g.maindiv_, width = div.offsetWidth;
      if (width > 0) {
        div.style.width = width + "px";
        div.style.zoom = Math.min(1, 680 / width);
      }
    });
  });
  addEventListener("afterprint", function () {
    all.forEach(function (g) { g.maindiv_.style.width = g.maindiv_.style.zoom = ""; });
  });
  // For tests: how many were drawn, and how many milliseconds after the page was asked for.
  document.documentElement.dataset.plots = all.length;
  document.documentElement.dataset.ready = Math.round(performance.now());
})();
