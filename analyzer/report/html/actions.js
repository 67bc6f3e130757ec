// SPDX-License-Identifier: GPL-2.0-or-later
// Buttons that copy a text, tables that are sorted by a column, and the opening of all parts for printing.
"use strict";
(function () {
  // Where the browser gives no access to the clipboard, a selected text field is copied instead.
  function copy_selected(text) {
    var field = document.createElement("textarea"), done = false;
    field.value = text;
    field.className = "offscreen";
    document.body.append(field);
    field.select();
    try { done = document.execCommand("copy"); } catch (e) { done = false; }
    field.remove();
    return done;
  }
  function copy(text) {
    var other = function () { return copy_selected(text); };
    return navigator.clipboard ? navigator.clipboard.writeText(text).then(function () { return true; }, other) : Promise.resolve(other());
  }
  document.querySelectorAll("button.copy").forEach(function (button) {
    var words = button.textContent, timer;
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", function () {
      copy(button.dataset.copy).then(function (done) {
        button.textContent = done ? "Copied" : "Not copied: select the text";
        clearTimeout(timer);
        timer = setTimeout(function () { button.textContent = words; }, 2000);
      });
    });
  });

  // A cell sorts by its data-key as a number; without one, by its text. Cells with neither come last.
  function key(row, column) {
    var cell = row.cells[column], text = cell ? cell.textContent.trim() : "";
    return cell && cell.dataset.key !== undefined ? +cell.dataset.key : text === "" || text === "-" ? null : text;
  }
  function compare(a, b) {
    if (a === null || b === null) { return 0; }
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  }
  function sort(table, column, down) {
    var body = table.tBodies[0];
    Array.from(body.rows).map(function (row) { return { row: row, key: key(row, column) }; }).sort(function (a, b) {
      return (a.key === null) - (b.key === null) || (down ? compare(b.key, a.key) : compare(a.key, b.key));
    }).forEach(function (x) { body.append(x.row); });
    Array.from(table.tHead.rows[0].cells).forEach(function (cell, i) {
      cell.setAttribute("aria-sort", i !== column ? "none" : down ? "descending" : "ascending");
    });
  }
  document.querySelectorAll("table.sortable").forEach(function (table) {
    Array.from(table.tHead.rows[0].cells).forEach(function (cell, column) {
      cell.querySelector("button").addEventListener("click", function () {
        sort(table, column, cell.getAttribute("aria-sort") === "none" ? cell.classList.contains("n") : cell.getAttribute("aria-sort") === "ascending");
      });
    });
  });

  // On paper nothing can be opened. What was ruled out is a page of its own and says little: it stays closed.
  var closed = [];
  addEventListener("beforeprint", function () {
    closed = Array.from(document.querySelectorAll("details:not([open]):not(.aside)"));
    closed.forEach(function (d) { d.open = true; });
  });
  addEventListener("afterprint", function () { closed.forEach(function (d) { d.open = false; }); });
  // A link to something inside a closed part opens it.
  function reveal() {
    var target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    for (var e = target; e; e = e.parentElement) { if (e.tagName === "DETAILS") { e.open = true; } }
  }
  addEventListener("hashchange", reveal);
  reveal();
  document.documentElement.dataset.actions = "ready"; // for tests
})();
