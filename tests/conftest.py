"""Imports pydantic before pytest-qt imports Qt.

Qt's import hook reads the source of every module; in the middle of pydantic's first import that
fails, so that a test file could not be collected alone.
"""

import pydantic.fields  # noqa: F401
