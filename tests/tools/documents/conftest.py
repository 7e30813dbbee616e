"""A document model with one block of each kind, for all formats."""

from datetime import UTC, datetime

import pytest

from tools.documents.document_model import DocumentModel

SOURCE = """# Quarterly report

Some **bold**, *italic*, ~~struck~~ words, `code`, a [link](https://example.org/?a=1&b=2),
[a mail](mail:abc) and [a trap](javascript:alert(1)).

## Needs you

- first
  - inner
- second

3. three
4. four

Then:

1. again one

> a quotation

| Item | Amount |
|------|-------:|
| Tea  | 3.50 |
| Milk <script> | 1.20 |

```python
if a < b:
    pass
```

---

שלום עולם and 日本語 and 🎉
"""


@pytest.fixture(scope="session")
def model() -> DocumentModel:
    written = datetime(2026, 11, 21, 9, 30, 5, 123, tzinfo=UTC)
    return DocumentModel.parse("Quarterly report", SOURCE, written)
