// The studio starts here.

import { startKeyboard } from "./keyboard.js";
import { Router } from "./router.js";
import { Server } from "./source.js";
import { startTheme } from "./theme.js";

const theme = document.getElementById("theme");
startTheme(theme);
startKeyboard([...document.querySelectorAll(".pages a")], document.getElementById("keys"), theme);

new Router(document.getElementById("main"), {
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
}, new Server()).start();
