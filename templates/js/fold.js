// Folded findings are printed open, and folded again afterwards.
(function () {
  "use strict";
  var opened = [];
  addEventListener("beforeprint", function () {
    opened = Array.prototype.slice.call(document.querySelectorAll(".finding details:not([open])"));
    opened.forEach(function (d) { d.open = true; });
  });
  addEventListener("afterprint", function () {
    opened.forEach(function (d) { d.open = false; });
    opened = [];
  });
})();
