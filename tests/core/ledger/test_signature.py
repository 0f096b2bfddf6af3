"""A signed ledger: who did it is bound to its records, and everything that is done to either is noticed."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from tests.core.ledger.damage import write
from tests.keys import key_text
from volition.core.errors import MissingPart
from volition.core.ledger import Ledger, verify
from volition.core.ledger.fault import FaultKind
from volition.core.ledger.signature import SIGNED, LedgerSignature, sign_ledger
from volition.core.signing import own_signer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

RECORDS = [{"n": n} for n in range(1, 6)]
TIME = "2026-01-25T10:00:00Z"


def signed_ledger(folder: Path, records: list[dict[str, int]] = RECORDS) -> Path:
    """A ledger that ann signed as a fork."""
    write(folder, records)
    sign_ledger(folder, LedgerSignature("fork", "evening-8", "tick 25", "ann", TIME), own_signer())
    return folder


def change(folder: Path, **changed: Any) -> None:
    file = folder / SIGNED
    file.write_text(json.dumps(json.loads(file.read_bytes()) | changed), encoding="utf-8")


def test_a_signed_ledger_says_who_signed_it(tmp_path: Path) -> None:
    """Its bytes are those of an unsigned one; verifying says who did what, and with which key."""
    plain, signed = write(tmp_path / "plain", RECORDS), signed_ledger(tmp_path / "signed")
    for file in plain.glob("*.jsonl"):
        assert (signed / file.name).read_bytes() == file.read_bytes()
    found = verify(signed)
    assert found.intact
    assert found.signed is not None
    assert (found.signed.by, found.signed.key, found.signed.of) == ("ann", own_signer().public, "evening-8")
    assert f"signed by ann with the key {own_signer().public[:16]}...: fork of evening-8 at tick 25" in str(found)
    assert found.to_data()["signed"]["by"] == "ann"
    assert verify(plain).to_data()["signed"] is None
    assert "sign" not in str(verify(plain))


@pytest.mark.parametrize(
    "changed",
    [
        {"by": "bob"},
        {"of": "another"},
        {"where": "tick 26"},
        {"what": "play"},
        {"time": "2020-01-01T00:00:00Z"},
        {"key": "ab" * 32},
        {"signature": "00" * 64},
        {"signature": "no hex"},
        {"anchor": f"5:{'0' * 64}"},
        {"anchor": "nothing"},
        {"more": 1},
        {"by": "a\u200bnn"},
        {"by": 7},
    ],
)
def test_a_changed_signature_is_noticed(tmp_path: Path, changed: dict[str, Any]) -> None:
    """Whatever is changed about a signature, the ledger is not intact, and the fault names the file."""
    folder = signed_ledger(tmp_path / "signed")
    change(folder, **changed)
    fault = verify(folder).fault
    assert fault is not None
    assert (fault.reason, fault.segment) == (FaultKind.FALSE_SIGNATURE, SIGNED)


def test_a_signature_fits_no_other_ledger(tmp_path: Path) -> None:
    """Copied beside another ledger, a shorter one, or one that was rewritten with matching hashes, it is false."""
    signed = signed_ledger(tmp_path / "signed")
    for name, records in (
        ("other", [{"n": 7}] * 9),
        ("shorter", RECORDS[:3]),
        ("rewritten", [*RECORDS[:4], {"n": 9}]),
    ):
        folder = write(tmp_path / name, records)
        shutil.copy(signed / SIGNED, folder / SIGNED)
        fault = verify(folder).fault
        assert fault is not None
        assert fault.reason == FaultKind.FALSE_SIGNATURE, name


def test_what_follows_a_signature_is_not_signed_and_breaks_nothing(tmp_path: Path) -> None:
    """A ledger that goes on after it was signed stays intact."""
    folder = signed_ledger(tmp_path / "signed")
    with Ledger(folder, kind="test") as ledger:
        ledger.append({"n": 6})
    found = verify(folder)
    assert (found.intact, found.count) == (True, 6)


def test_damage_comes_before_the_signature(tmp_path: Path) -> None:
    """A broken chain is named as such, whatever is signed; a file that is a link, or far too large, is a false signature."""
    folder = signed_ledger(tmp_path / "signed")
    segment = folder / "000001.jsonl"
    segment.write_bytes(segment.read_bytes().replace(b'"n":3', b'"n":4'))
    for content in ((folder / SIGNED).read_bytes(), b"no signature"):
        (folder / SIGNED).write_bytes(content)
        fault = verify(folder).fault
        assert fault is not None
        assert fault.reason == FaultKind.CHANGED
    for number, spoil in enumerate((lambda file: file.write_bytes(b" " * 2**20), _link)):
        folder = signed_ledger(tmp_path / f"spoiled-{number}")
        spoil(folder / SIGNED)
        fault = verify(folder).fault
        assert fault is not None
        assert fault.reason == FaultKind.FALSE_SIGNATURE


def _link(file: Path) -> None:
    elsewhere = file.with_name("elsewhere.json")
    file.rename(elsewhere)
    file.symlink_to(elsewhere)


def test_another_key_signs_as_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who signs a ledger again with their own key is named by that key, and by none that they do not have."""
    folder, mine = signed_ledger(tmp_path / "signed"), own_signer().public
    monkeypatch.setenv("VOLITION_KEY", key_text(bytes(range(9, 41))))
    sign_ledger(folder, LedgerSignature("fork", "evening-8", "tick 25", "ann", TIME), own_signer())
    found = verify(folder).signed
    assert found is not None
    assert found.key == own_signer().public != mine


def test_without_cryptography_it_is_said_that_nothing_was_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """The chain is still verified, the signer is named to nobody, and the output says what it cannot show."""
    folder = signed_ledger(tmp_path / "signed")

    def nowhere(*modules: str) -> None:
        raise MissingPart.of(f"{modules[0]} is not installed", where="here", expected="it", remedy="install it")

    monkeypatch.setattr("volition.core.signing.require", nowhere)
    found = verify(folder)
    assert (found.intact, found.signed) == (True, None)
    told(found.cannot_show)
