"""Programs: files that can run, told by their names and by how they begin."""

from pathlib import PurePath

RUNS = frozenset(
    f".{ending}"
    for ending in (
        *("app", "appimage", "bash", "bat", "cgi", "cmd", "com", "command", "cpl", "desktop"),
        *("dll", "dmg", "exe", "gadget", "hta", "htaccess", "inf", "iso", "jar", "js", "jse"),
        *("ksh", "lnk", "mjs", "msc", "msi", "pif", "pkg", "pl", "ps1", "py", "pyc", "pyw", "rb"),
        *("reg", "run", "scf", "scr", "service", "sh", "so", "svg", "svgz", "url", "vb", "vbe"),
        *("vbs", "webloc", "ws", "wsf", "wsh", "xhtml", "zsh"),
    )
)
"""Endings of files that can do something when they are opened."""
_BEGINNINGS = (
    *(b"MZ", b"\x7fELF", b"#!", b"[Desktop Entry]"),
    *(b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"),
)


def runs_by_name(name: str) -> bool:
    """Whether any ending of the name is one of a program."""
    return any(suffix.lower().rstrip() in RUNS for suffix in PurePath(name).suffixes)


def runs_by_content(beginning: bytes) -> bool:
    """Whether a file that begins like this is a program or a script."""
    return beginning.startswith(_BEGINNINGS)
