"""The server with what the protocol's official conformance suite calls for, served on a port until it is interrupted.

The suite expects certain tools, resources and prompts. Here they are added to the server that agents use: the same class,
with its errors, its progress, its list of tools and its transport, is what the suite meets.

    python -m tests.agents.mcp.conformance_server REGISTRY
"""

import base64
import sys
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import anyio
import mcp_types as wire
from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Audio, Context, Image, MCPServer
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.server.mcpserver.resolve import Elicit, Resolve, Sample
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, EmbeddedResource, InputRequiredResult, TextContent, TextResourceContents
from pydantic import BaseModel, Field

from volition.agents.mcp.access import TeamAccess
from volition.agents.mcp.caller import Callers
from volition.agents.mcp.server import AgentServer
from volition.agents.mcp.serving import serve_on_port
from volition.core.errors import NotPossible
from volition.workflow import parse_store_address

PIXEL: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
SILENCE: Final = b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\0\0\0\0"
RICH: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
ENUMS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {
            "type": "string",
            "oneOf": [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)],
        },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {
            "type": "array",
            "items": {"anyOf": [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3)]},
        },
    },
}


class Account(BaseModel):
    """A form of two texts."""

    username: str = Field(description="User's response")
    email: str = Field(description="User's email address")


class Defaults(BaseModel):
    """A form with a default of every kind."""

    name: str = "John Doe"
    age: int = 30
    score: float = 95.5
    status: Literal["active", "inactive", "pending"] = "active"
    verified: bool = True


def embedded(uri: str, kind: str, text: str) -> EmbeddedResource:
    """A resource within an answer."""
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=kind, text=text))


def add_answers(server: MCPServer[Any]) -> None:
    """Tools that answer with every kind of content, or with an error."""

    def test_simple_text() -> str:
        """Answer with a text."""
        return "This is a simple text response for testing."

    def test_image_content() -> Image:
        """Answer with an image."""
        return Image(data=PIXEL, format="png")

    def test_audio_content() -> Audio:
        """Answer with a sound."""
        return Audio(data=SILENCE, format="wav")

    def test_embedded_resource() -> EmbeddedResource:
        """Answer with a resource."""
        return embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")

    def test_multiple_content_types() -> list[Any]:
        """Answer with a text, an image and a resource."""
        data = embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
        return ["Multiple content types test:", Image(data=PIXEL, format="png"), data]

    def test_error_handling() -> str:
        """Fail as our tools fail."""
        raise NotPossible.of(
            "This tool intentionally returns an error for testing",
            where="the test",
            expected="an error",
            remedy="go on",
        )

    async def test_tool_with_progress(context: Context) -> str:
        """Report progress three times."""
        for done in (0, 50, 100):
            await context.report_progress(done, 100)
            await anyio.sleep(0.05)
        return "done"

    def test_logging_tool() -> str:
        """Log nothing."""
        return "this server sends no log messages"

    async def test_trigger_tool_change(context: Context) -> str:
        """Say that the list of tools changed."""
        await context.notify_tools_changed()
        return "done"

    async def test_trigger_prompt_change(context: Context) -> str:
        """Say that the list of prompts changed."""
        await context.notify_prompts_changed()
        return "done"

    def test_headers(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
        """Answer with what a header repeats."""
        return region

    for tool in (
        test_simple_text, test_image_content, test_audio_content, test_embedded_resource, test_multiple_content_types,
        test_error_handling, test_tool_with_progress, test_logging_tool, test_trigger_tool_change,
        test_trigger_prompt_change, test_headers,
    ):  # fmt: skip
        server.add_tool(tool, structured_output=False)
    rich = Tool.from_function(
        test_simple_text, name="json_schema_2020_12_tool", description="a rich schema", structured_output=False
    )
    server._tool_manager._tools[rich.name] = rich.model_copy(update={"parameters": RICH})


def add_forms(server: MCPServer[Any]) -> None:
    """Tools that ask the person at the client, as answer_question does, in both eras."""

    async def test_elicitation(message: str, context: Context) -> str:
        """Ask for a name and an address."""
        return f"User response: {await context.elicit(message, Account)}"

    async def test_elicitation_sep1034_defaults(context: Context) -> str:
        """Ask with a default of every kind."""
        return f"Elicitation completed: {await context.elicit('Please look through these', Defaults)}"

    async def test_elicitation_sep1330_enums(context: Context) -> str:
        """Ask with choices of every kind."""
        return f"Elicitation completed: {await context.session.elicit_form('Please choose', ENUMS)}"

    def ask() -> Elicit[Account]:
        return Elicit("Who are you?", Account)

    def ask_model() -> Sample:
        return Sample([wire.SamplingMessage(role="user", content=TextContent(type="text", text="Hello"))], max_tokens=9)

    def test_missing_capability(answer: Annotated[wire.CreateMessageResult, Resolve(ask_model)]) -> str:
        """Ask the model of the client."""
        return f"said by {answer.model}"

    def test_streaming_elicitation(answer: Annotated[ElicitationResult[Account], Resolve(ask)]) -> str:
        """Ask who is there."""
        return f"asked: {isinstance(answer, AcceptedElicitation)}"

    for tool in (
        test_elicitation, test_elicitation_sep1034_defaults, test_elicitation_sep1330_enums, test_missing_capability,
        test_streaming_elicitation,
    ):  # fmt: skip
        server.add_tool(tool, structured_output=False)


def form(message: str, name: str, kind: str = "string") -> wire.ElicitRequest:
    """A request for one value."""
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return wire.ElicitRequest(params=wire.ElicitRequestFormParams(message=message, requested_schema=schema))


def sample(text: str) -> wire.CreateMessageRequest:
    """A request to the client's model."""
    message = wire.SamplingMessage(role="user", content=TextContent(type="text", text=text))
    return wire.CreateMessageRequest(params=wire.CreateMessageRequestParams(messages=[message], max_tokens=100))


ROUNDS: Final[dict[str, list[dict[str, Any]]]] = {
    "elicitation": [{"user_name": form("What is your name?", "name")}],
    "sampling": [{"capital_question": sample("What is the capital of France?")}],
    "list_roots": [{"client_roots": wire.ListRootsRequest()}],
    "request_state": [{"confirm": form("Please confirm", "ok", "boolean")}],
    "tampered_state": [{"confirm": form("Please confirm", "ok", "boolean")}],
    "multiple_inputs": [
        {
            "user_name": form("What is your name?", "name"),
            "greeting": sample("Generate a greeting"),
            "client_roots": wire.ListRootsRequest(),
        }
    ],
    "multi_round": [
        {"step1": form("Step 1: What is your name?", "name")},
        {"step2": form("Step 2: What is your favorite color?", "color")},
    ],
    "capabilities": [{"capital_question": sample("What is the capital of France?")}],
}
"""What each tool that needs input asks for, round by round."""


def ask_in_rounds(rounds: list[dict[str, Any]], context: Context) -> InputRequiredResult | str:
    """What is to be asked next; or all that was answered, once nothing is left to ask."""
    state = context.request_state or "round-0"
    number = int(state.removeprefix("round-"))
    given = context.input_responses or {}
    if number and all(_fits(given.get(key), rounds[number - 1][key]) for key in rounds[number - 1]):
        if number == len(rounds):
            return f"state-ok: {sorted(given)} {given}"
        number += 1
    number = max(number, 1)
    return InputRequiredResult(input_requests=rounds[number - 1], request_state=f"round-{number}")


def _fits(answer: Any, asked: Any) -> bool:
    """Whether an answer is of the kind that was asked for, and has what a form requires."""
    if isinstance(asked, wire.ElicitRequest):
        wanted = asked.params.requested_schema["required"]  # type: ignore[union-attr]
        content = getattr(answer, "content", None) or {}
        return isinstance(answer, wire.ElicitResult) and all(name in content for name in wanted)
    return answer is not None


def add_rounds(server: MCPServer[Any]) -> None:
    """Tools and a prompt that need input before they answer."""
    for name, rounds in ROUNDS.items():

        def tool(context: Context, rounds: Any = rounds) -> Any:
            asked = ask_in_rounds(rounds, context)
            if isinstance(asked, InputRequiredResult):
                return asked
            return CallToolResult(content=[TextContent(type="text", text=asked)])

        named = f"test_input_required_result_{name}"
        server.add_tool(tool, name=named, description=named, structured_output=False)

    @server.prompt("test_input_required_result_prompt", description="a prompt that needs input")
    def prompt(context: Context) -> Any:
        return ask_in_rounds([{"user_context": form("What context should the prompt use?", "context")}], context)


def add_readings(server: MCPServer[Any]) -> None:
    """Resources, prompts, and the completion of their arguments."""

    @server.resource("test://static-text", mime_type="text/plain", description="a text")
    def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png", description="an image")
    def static_binary() -> bytes:
        return PIXEL

    @server.resource("test://watched-resource", mime_type="text/plain", description="a text to watch")
    def watched() -> str:
        return "watched"

    @server.resource("test://template/{id}/data", mime_type="application/json", description="data by id")
    def template(id: str) -> dict[str, Any]:
        return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}

    @server.prompt("test_simple_prompt", description="a prompt")
    def simple() -> str:
        return "This is a simple prompt for testing."

    @server.prompt("test_prompt_with_arguments", description="a prompt with arguments")
    def with_arguments(arg1: str, arg2: str) -> str:
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @server.prompt("test_prompt_with_embedded_resource", description="a prompt with a resource")
    def with_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803  the suite's name
        data = embedded(resourceUri, "text/plain", "Embedded resource content for testing.")
        return [UserMessage(data), UserMessage("Please process the embedded resource above.")]

    @server.prompt("test_prompt_with_image", description="a prompt with an image")
    def with_image() -> list[UserMessage]:
        image = Image(data=PIXEL, format="png").to_image_content()
        return [UserMessage(image), UserMessage("Please analyze the image above.")]

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
    async def complete(ref: Any, argument: Any, context: Any) -> wire.Completion:
        return wire.Completion(values=[word for word in ("paris", "park", "party") if word.startswith(argument.value)])


def make_conformance_server(registry: Path) -> AgentServer:
    """The server, with everything that the suite calls for."""
    access = TeamAccess(parse_store_address(registry), "suite")
    with access.use(new=True):  # the suite also reads the resources of the registry
        server = AgentServer(access, Callers("suite"), forms="approvals")
    for add in (add_answers, add_forms, add_rounds, add_readings):
        add(server)
    return server


def tell(address: str) -> None:
    """Say where the server listens, to whoever started it."""
    sys.stdout.write(address + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    serve_on_port(make_conformance_server(Path(sys.argv[1])), 0, tell)
