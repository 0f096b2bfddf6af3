"""The rights of a user of a PostgreSQL server, as SQL: members append events and never change one.

Processes keep the tables, so a member's user must be able to write rows. What somebody does to them by hand, verification
finds, because every row has to follow from the events; and events can only be appended, each with a signature.
"""

from __future__ import annotations

from volition.core.errors import refuse
from volition.workflow.store.migrations import SCHEMA
from volition.workflow.store.tables import CHECKPOINT, EVENT, TABLES, VERSION

LONGEST: int = 63
"""How many bytes of a name PostgreSQL keeps."""


def grants_for(role: str, *, keeper: bool = False) -> list[str]:
    """The statements that give a user of the server exactly what a member needs, or a keeper, who may also archive and restore.

    >>> grants_for("ann")[-1]
    'GRANT SELECT ON volition.volition_store TO "ann";'
    """
    if not 0 < len(role.encode()) <= LONGEST or not role.isprintable():
        refuse(
            f"{role!r} is not a user of a server",
            where="--role",
            expected=f"1 to {LONGEST} bytes that can be seen",
            remedy="name a user that the server knows",
        )
    user = '"' + role.replace('"', '""') + '"'
    rows = ", ".join(f"{SCHEMA}.{table.name}" for table in TABLES.values())
    everything = f"ALL TABLES IN SCHEMA {SCHEMA}"
    begin = [f"REVOKE ALL ON {everything} FROM {user};", f"GRANT USAGE ON SCHEMA {SCHEMA} TO {user};"]
    if keeper:
        return [*begin, f"GRANT SELECT, INSERT, UPDATE, DELETE ON {everything} TO {user};"]
    return [
        *begin,
        f"GRANT SELECT, INSERT ON {SCHEMA}.{EVENT.name} TO {user};",
        f"GRANT SELECT, INSERT, UPDATE ON {rows} TO {user};",
        f"GRANT SELECT ON {SCHEMA}.{CHECKPOINT.name} TO {user};",
        f"GRANT SELECT ON {SCHEMA}.{VERSION.name} TO {user};",
    ]
