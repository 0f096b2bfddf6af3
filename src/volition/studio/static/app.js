// The studio starts here.

import { startCounts } from "./changes.js";
import { sure } from "./dom.js";
import { startKeyboard } from "./keyboard.js";
import { Router } from "./router.js";
import { Server } from "./source.js";
import { startTheme } from "./theme.js";

const theme = sure(document.getElementById("theme"));
/** @type {NodeListOf<HTMLElement>} */
const pages = document.querySelectorAll(".pages a");
startTheme(theme);
startKeyboard([...pages], sure(document.getElementById("keys")), theme);

new Router(sure(document.getElementById("main")), {
  stage: () => import("./stage.js"),
  play: () => import("./play.js"),
  threads: () => import("./threads.js"),
  decision: () => import("./decision.js"),
  fork: () => import("./fork.js"),
  govern: () => import("./govern.js"),
  drive: () => import("./drive.js"),
  ensemble: () => import("./ensemble.js"),
  records: () => import("./records.js"),
  team: () => import("./team.js"),
  inbox: () => import("./inbox.js"),
}, new Server()).start().then(startCounts);
