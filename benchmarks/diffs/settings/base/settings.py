"""Settings from lines of text: `name = value`, with sections."""

import re

_SECTION = re.compile(r"\[(\w+)\]")
_PAIR = re.compile(r"(\w+)\s*=\s*(.*)")


def read_lines(text):
    """The lines with something on them, with their numbers."""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line:
            yield number, line


def read_value(text):
    """A value as a number, a flag or a text."""
    if text in ("yes", "no"):
        return text == "yes"
    try:
        return int(text)
    except ValueError:
        return text


def read(text):
    """All settings, by section and name."""
    settings = {"": {}}
    section = ""
    for number, line in read_lines(text):
        if found := _SECTION.fullmatch(line):
            section = found[1]
            settings.setdefault(section, {})
        elif found := _PAIR.fullmatch(line):
            settings[section][found[1]] = read_value(found[2])
        else:
            raise ValueError(f"line {number}: {line}")
    return settings


def write(settings):
    """Settings as text."""
    lines = []
    for section, pairs in settings.items():
        if section:
            lines.append(f"[{section}]")
        lines.extend(f"{name} = {write_value(value)}" for name, value in pairs.items())
    return "\n".join(lines) + "\n"


def write_value(value):
    """A value as it is written."""
    if value is True or value is False:
        return "yes" if value else "no"
    return str(value)
