"""The notebooks: run them, and put down what they show: ``python docs/notebooks.py``.

Cells run here as Jupyter runs them: what is printed is shown, and the value of a last
expression in every form that it has for a notebook. The tests run the same cells and compare all
but pictures, whose bytes differ with the version of matplotlib.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import os
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = 120
FORMS = {"text/html": "_repr_html_", "image/png": "_repr_png_"}


def notebooks() -> list[Path]:
    return sorted((ROOT / "docs").rglob("*.ipynb"))


def cells(notebook: Path) -> list[dict[str, Any]]:
    """The cells of code of a notebook, in order."""
    return [one for one in _read(notebook)["cells"] if one["cell_type"] == "code"]


def shown(notebook: Path) -> list[list[dict[str, Any]]]:
    """What each cell of code shows; files are written to a folder of their own."""
    names: dict[str, Any] = {"__name__": "__main__"}
    width = patch.dict(os.environ, COLUMNS=str(COLUMNS))  # of tables as text
    with tempfile.TemporaryDirectory() as folder, chdir(folder), width:
        return [_run(cell, number, names) for number, cell in enumerate(cells(notebook), start=1)]


def _run(cell: dict[str, Any], number: int, names: dict[str, Any]) -> list[dict[str, Any]]:
    body = ast.parse("".join(cell["source"]), f"cell {number}").body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    out, value = io.StringIO(), None
    with redirect_stdout(out):
        exec(compile(ast.Module(body, []), f"cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if out.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(out.getvalue())})
    if value is not None:
        outputs.append(
            {
                "data": _forms(value),
                "execution_count": number,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return outputs


def _forms(value: Any) -> dict[str, Any]:
    """A value as text, and in the other forms that it has for a notebook."""
    data: dict[str, Any] = {}
    for form, name in FORMS.items():
        made = getattr(value, name, lambda: None)()
        if isinstance(made, bytes):
            data[form] = base64.b64encode(made).decode()
        elif made is not None:
            data[form] = _lines(made)
    return data | {"text/plain": _lines(repr(value))}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _read(notebook: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(notebook.read_text(encoding="utf-8"))
    return data


def refresh(notebook: Path) -> bool:
    """Put down what the cells of a notebook show now; whether that changed the file."""
    old = notebook.read_text(encoding="utf-8")
    data = json.loads(old)
    code = (cell for cell in data["cells"] if cell["cell_type"] == "code")
    for number, (cell, outputs) in enumerate(zip(code, shown(notebook), strict=True), start=1):
        cell["outputs"], cell["execution_count"] = outputs, number
    new = json.dumps(data, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    notebook.write_text(new, encoding="utf-8")
    return new != old


def main() -> None:
    for notebook in notebooks():
        if refresh(notebook):
            print(f"{notebook.relative_to(ROOT)}: refreshed")


if __name__ == "__main__":
    main()
