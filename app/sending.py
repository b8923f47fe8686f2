"""What Panel sends to the browser, all of it.

Panel 1.9 forgets messages that come while it waits for earlier ones to be written: the task that wrote those says
that nothing is left, and the task for the new ones believes it. They would go out with the next change, which at the
end of a run may be long in coming: the page would say that it is still running.
"""

from __future__ import annotations

from bokeh.document import Document
from panel.io import document as panel_document

_write_some = panel_document._dispatch_msgs


async def write_all(doc: Document) -> None:
    """Write the messages that wait for a document's page, also those that came meanwhile."""
    await _write_some(doc)
    while doc in panel_document._WRITE_MSGS and doc not in panel_document._WRITE_BLOCK:
        panel_document._WRITE_BLOCK[doc] = True
        await _write_some(doc)


def send_everything() -> None:
    """Have Panel write so from now on."""
    panel_document._dispatch_msgs = write_all
