"""The OpenAPI document of this API."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Request, Response, Router, get

from volition.studio.cache import Cache
from volition.studio.routes.common import json_response

_encoded = Cache[bytes](1)


@get("/openapi.json", sync_to_thread=True)
def document(request: Request[Any, Any, Any]) -> Response[Any]:
    app = request.app
    return json_response(_encoded.get(id(app), lambda: msgspec.json.encode(app.openapi_schema.to_schema())))


router = Router("/", route_handlers=[document], include_in_schema=False)
