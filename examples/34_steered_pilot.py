"""A language model steers a pilot: a small server speaks for it, is asked where the pilot is unsure, and then goes away."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from volition import CompositeIntention
from volition.execution import connect
from volition.execution.worlds.pilot import PILOT, Pilot, PilotOption, Spot
from volition.execution.worlds.pilot.view import View
from volition.minds import ChatMind, MindRecord, voter


class Talker(BaseHTTPRequestHandler):
    """In place of a language model: it likes the south, and breaks down at the third question."""

    asked = 0

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Talker.asked += 1
        ids = body["response_format"]["json_schema"]["schema"]["properties"]["choice"]["enum"]
        south = [id for id in ids if "south" in id]
        answer = json.dumps({"choice": (south or ids)[0], "reason": "the south is warmer" if south else "why not"})
        message = {"role": "assistant", "content": answer}
        data = json.dumps({"choices": [{"message": message}], "usage": {"total_tokens": 40}}).encode()
        self.send_response(401 if Talker.asked == 3 else 200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


def in_words(view: View) -> str:
    x, y = view.situation.me.place
    return f"You stand at {x:.1f}, {y:.1f} and want to reach {view.goal}."


def describe(option: PilotOption, view: View) -> str:
    x, y = option.end(view.situation.me.place)
    return f"ends at {x:.1f}, {y:.1f}"


def drive_with(mind: ChatMind, record: MindRecord, *, replay: bool = False) -> list[str]:
    model = voter(
        "model", mind, engine=PILOT, margin=0.3, best=4, weight=0.5, deadline_s=10.0,
        situation=in_words, describe=describe, record=record, replay=replay,
    )  # fmt: skip
    pilot = Pilot(CompositeIntention(*PILOT, model), goal=Spot(20.5, 8.5))
    with connect("embedded", map="foundry", seed=7) as body:
        decisions = [pilot.step(body).decision for _ in range(6)]
    return [f"{decision.id}: {decision.why().text}" for decision in decisions]


server = ThreadingHTTPServer(("127.0.0.1", 0), Talker)
Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
mind, record = ChatMind(f"http://127.0.0.1:{server.server_port}/v1", "toy"), MindRecord()
driven = drive_with(mind, record)
print("\n".join(driven))
server.shutdown()
server.server_close()

again = drive_with(mind, record, replay=True)
print(f"\n{Talker.asked} questions; the same drive without the server: {again == driven}")
