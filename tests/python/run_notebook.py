# SPDX-License-Identifier: MIT
"""run_notebook.py NOTEBOOK: runs it in this interpreter; its pictures must be valid, and it must show some HTML."""

import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import nbclient
import nbformat
from jupyter_client.manager import KernelManager


class Here(KernelManager):
    """This interpreter, whatever kernels are installed."""

    def format_kernel_cmd(self, extra_arguments=None):
        connection = self.connection_file
        return [sys.executable, "-m", "ipykernel_launcher", "-f", connection]


notebook = nbformat.read(sys.argv[1], as_version=4)
with tempfile.TemporaryDirectory() as folder:
    client = nbclient.NotebookClient(
        notebook, timeout=60, km=Here(), resources={"metadata": {"path": folder}}
    )
    client.execute()
shown = pictures = 0
for cell in notebook.cells:
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        shown += "text/html" in data
        if "image/svg+xml" in data:
            assert ElementTree.fromstring(data["image/svg+xml"]).tag.endswith("svg")
            assert "<svg" in data["text/html"], "no picture in the HTML"
            pictures += 1
assert shown >= 2, f"{shown} outputs with HTML in {Path(sys.argv[1]).name}"
print(f"{len(notebook.cells)} cells, {shown} with HTML, {pictures} with pictures")
