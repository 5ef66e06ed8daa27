"""Which module may import which, and what is not imported until it is needed."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache

import networkx as nx
import pytest
from conftest import ROOT, table

from buildcheck.cli import main

PACKAGE = ROOT / "buildcheck"
#: The rooms from the top floor down: a room imports itself and what is below. A flat module is a
#: room of its own.
LAYERS = table("layers", "layers")
#: The modules of commands that are read when they are called.
COMMANDS = sorted({m.split(".")[2].partition(":")[0] for m in main.elsewhere.values()})
#: The modules that use each library.
LIBRARIES = {
    "click": {
        *("cli", "cli.batch", "cli.build", "cli.declared", "cli.options", "cli.search"),
        *(f"cli.{n}" for n in COMMANDS if n not in ("why", "workload")),
        *("docs.site", "streams", "configure.wish.options"),
    },
    "jinja2": {"importers.open_data.recipe", "render.templates"},
    "networkx": {"importers.open_data.twins"},
    "pint": {"units"},
    "xlsxwriter": {"render.parts_list_xlsx"},
    "yaml": {"edit.text", "model.source", "model.vocabulary"},
}
#: What renderers import besides each other and answers (modules whose names end in `answer`).
RENDERED = {"errors", "logic.quantity", "model.labels", "model.money", "store", "units"}

MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if "_data" not in path.parts
}


def imported(node: ast.AST, *, types: bool = False) -> Iterator[str]:
    """Full names a module imports, also inside functions, and on demand for types alone."""
    for child in ast.iter_child_nodes(node):
        if not types and isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert not child.level, "imports are absolute"
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        else:
            yield from imported(child, types=types)


def inside(name: str) -> str | None:
    """The module of this package that an imported name is, or is defined in."""
    head, _, rest = name.partition(".")
    while head == PACKAGE.name and rest:
        if rest in MODULES:
            return rest
        rest = rest.rpartition(".")[0]
    return None


@cache
def imports() -> dict[str, list[str]]:
    """What each module imports."""
    return {n: list(imported(ast.parse(p.read_text(encoding="utf-8")))) for n, p in MODULES.items()}


@cache
def graph() -> nx.DiGraph:
    """Which module imports which."""
    pairs = ((name, inside(other)) for name, others in imports().items() for other in others)
    found = nx.DiGraph([(name, other) for name, other in pairs if other not in (None, name)])
    found.add_nodes_from(MODULES)
    # It reads every module that lies in its folder.
    found.add_edges_from(("facts", m) for m in MODULES if m.startswith("facts."))
    return found


def layer(module: str) -> int:
    """The number of a module's room, from the top."""
    return LAYERS.index(module.partition(".")[0])


def test_the_reader_of_imports_sees_them() -> None:
    """Those at the head, those in functions, and not those for types."""
    assert graph().has_edge("pipeline", "resolve")
    assert graph().has_edge("cli.settings", "rulebook")
    assert not graph().has_edge("model.finding", "model.build")
    assert len(graph()) > 20


def test_imports_go_down() -> None:
    upward = [
        f"{a} imports {b}" for a, b in graph().edges if a != "__main__" and layer(a) > layer(b)
    ]
    assert upward == []


def test_every_layer_is_there() -> None:
    """No name in the list has lost its module."""
    used = {layer(m) for m in MODULES if m not in ("__init__", "__main__")}
    assert used == set(range(len(LAYERS)))


def test_each_layer_is_needed_above() -> None:
    unused = [m for m, p in MODULES.items() if not graph().pred[m] and p.name != "__init__.py"]
    assert unused == ["__main__", *(f"cli.{name}" for name in COMMANDS)]


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_library_has_one_home(library) -> None:
    """Whoever replaces it changes one module."""
    users = {m for m, names in imports().items() if library in {n.partition(".")[0] for n in names}}
    assert users == LIBRARIES[library]


@pytest.mark.parametrize("package", ["connect", "facts", "logic"])
def test_reckoning_reads_no_files(package) -> None:
    """What connects, measures and compares works on values alone, but for what types are made of."""
    known = [("units", "store"), ("model.patterns", "store")]
    known += [(f"model.{name}", "model.vocabulary") for name in ("money", "values", "labels")]
    whole = nx.restricted_view(graph(), [], known)
    for module in MODULES:
        if module == package or module.startswith(f"{package}."):
            below = {module, *nx.descendants(whole, module)}
            assert not below & {"store", "model.source", "load", "catalog", "cli"}
            assert not {"os", "pathlib", "json", "datetime", "time", "random"} & {
                n.partition(".")[0] for n in imports()[module]
            }


def test_renderers_import_answers_alone() -> None:
    """They calculate nothing and read no catalogue, not even in the types they are given."""
    wrong = [
        f"{module} imports {name}"
        for module, path in MODULES.items()
        if module.partition(".")[0] == "render"
        for name in imported(ast.parse(path.read_text(encoding="utf-8")), types=True)
        if (found := inside(name)) and not found.endswith("answer")
        if found.partition(".")[0] != "render" and found not in RENDERED
    ]
    assert wrong == []


SLOW = {"networkx", "pint", "jinja2", "numpy", "hypothesis", "pytest"}


def loaded(code: str) -> set[str]:
    """Top names of all modules that are loaded after some code ran on its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport json\nprint(json.dumps(list(sys.modules)))"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_the_command_line_starts_with_little() -> None:
    """Help and version need neither the models nor a parser."""
    names = loaded("import sys, buildcheck.cli")
    assert "click" in names
    assert not names & {*SLOW, "pydantic", "yaml"}


def test_validating_loads_no_slow_library() -> None:
    """Neither a graph library nor, once parts and units are compiled, pint."""
    build = ROOT / "tests" / "builds" / "t4-4x3090-280w" / "build.yaml"
    code = (
        "import sys\nfrom buildcheck.cli import main\n"
        f"try:\n    main(['validate', {str(build)!r}])\nexcept SystemExit as end:\n"
        "    assert end.code in (0, 1), end.code\n"
    )
    names = [loaded(code) for _ in range(2)][-1]
    assert {"pydantic_core", "yaml"} <= names
    assert not names & ({*SLOW, "pydantic"} - {"jinja2"})
