"""The language of rules: what it accepts, what makes sense in it, what it means."""

import ast
import json

import pytest
from cases import span
from conftest import each_row, table

from buildcheck import units
from buildcheck.logic import parse as language
from buildcheck.logic.dimension import check, side
from buildcheck.logic.interval import evaluate
from buildcheck.logic.parse import MAX_LENGTH, Arithmetic, Name, names, pack, parse, unpack
from buildcheck.logic.quantity import UNKNOWN, Interval, exact
from buildcheck.logic.sentence import Placeholder, sentence

#: One expression for every kind of node that Python's expressions have.
WRITTEN = table("logic", "written")
ACCEPTED = {"BoolOp", "BinOp", "UnaryOp", "Compare", "Constant", "Attribute", "Name", "IfExp"}
A, B = ast.Name("a"), ast.Name("b")
#: What an expression has of each kind of sign, and the signs that are accepted.
OPERATORS = {
    ast.operator: (lambda s: ast.BinOp(A, s, B), {"Add", "Sub", "Mult", "Div"}),
    ast.cmpop: (
        lambda s: ast.Compare(A, [s], [B]),
        {"Lt", "LtE", "Eq", "NotEq", "Gt", "GtE", "In"},
    ),
    ast.unaryop: (lambda s: ast.UnaryOp(s, A), {"Not"}),
    ast.boolop: (lambda s: ast.BoolOp(s, [A, B]), {"And", "Or"}),
}


def accepts(text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def test_exactly_these_forms_are_the_language() -> None:
    """Of every kind of expression there is, eight are accepted; a new kind is noticed."""
    kinds = {k.__name__ for k in ast.expr.__subclasses__()}
    assert kinds - {"TemplateStr", "Interpolation"} == set(WRITTEN)
    assert {kind for kind, text in WRITTEN.items() if accepts(text)} == ACCEPTED


@pytest.mark.parametrize("base", OPERATORS, ids=lambda base: base.__name__)
def test_exactly_these_signs_are_the_language(base) -> None:
    """Powers, remainders, shifts, `is`, `not in` and signs are not."""
    made, accepted = OPERATORS[base]
    kinds = base.__subclasses__()
    assert {k.__name__ for k in kinds if accepts(ast.unparse(made(k())))} == accepted


@each_row
def test_claims_become_trees(text, tree) -> None:
    """Joined, turned around, over several lines."""
    assert tree in ("", str(parse(text)))


@each_row
def test_everything_else_is_refused(text) -> None:
    with pytest.raises(ValueError, match=r"language|expression|signs"):
        parse(text)


@each_row
def test_piles_are_refused_without_a_crash(piece, number, rest, closing) -> None:
    """Neither depth nor length brings the reader down."""
    with pytest.raises(ValueError, match=r"."):
        parse(piece * number + rest + closing * number)


def test_the_longest_expression_is_accepted() -> None:
    assert accepts("a" * MAX_LENGTH)
    assert not accepts("a" * (MAX_LENGTH + 1))


@pytest.mark.parametrize("text", ["a <= b  # as stated\n and c <= d", "a # b"])
def test_a_comment_hides_nothing(text) -> None:
    """A claim behind it would be lost without a word, so it is refused."""
    with pytest.raises(ValueError, match=r"."):
        parse(text)


@pytest.mark.parametrize("text", ["psu.__class__", "a.__class__.__mro__ <= 1", "__builtins__"])
def test_a_name_is_only_ever_looked_up(text) -> None:
    """A name with underscores is text; there is no fact of that name, and no object behind."""
    tree = parse(text)
    (name,) = names(tree)
    assert name == text.split()[0]
    with pytest.raises(ValueError, match="no fact or limit"):
        check(tree, {"psu": units.POWER, "a": units.POWER})
    with pytest.raises(KeyError):
        evaluate(tree, {"psu": exact(1), "a": exact(1)}.__getitem__)


def test_names_are_listed_in_order_with_repeats() -> None:
    assert names(parse("b < a * 1 and not c or b")) == ["b", "a", "c", "b"]


def test_every_form_of_the_module_is_in_the_tree_type() -> None:
    """A form that is added there is added to the readings too."""
    forms = {c for c in vars(language).values() if hasattr(c, "__match_args__")}
    assert forms == set(language.Tree.__args__)


@each_row
def test_what_is_made_of_sides(text, expected) -> None:
    """Ends, the larger, a choice, sums: both where the claim is open; of what is not known, nothing."""
    values = {"wide": Interval(1.0, 4.0), "n": exact(2.0), "none": None, "curve": ((0, 1), (2, 5))}
    values |= {n: exact(v) for n, v in (("four", 4), ("five", 5), ("rest", 200), ("psu", 1600))}
    values |= {"card": Interval(300, 350), "open": UNKNOWN}
    values |= {"plugs": {"a": exact(1.0), "b": exact(2.0)}, "kinds": frozenset("xy")}
    assert evaluate(parse(text), values.__getitem__) == span(expected)


SHAPES = {n: tuple(s) if isinstance(s, list) else s for n, s in table("logic", "shapes").items()}


@each_row
def test_sound_claims_pass(text) -> None:
    check(parse(text), SHAPES)


@each_row
def test_nonsense_is_refused(text, words) -> None:
    """Whatever the values, such a claim means nothing."""
    with pytest.raises(ValueError, match=words):
        check(parse(text), SHAPES)


@each_row
def test_a_side_has_a_dimension(text, shape) -> None:
    """Zero and one stand for plain numbers where nothing else is said."""
    assert side(parse(text), SHAPES) == (tuple(shape) if isinstance(shape, list) else shape)


SIGNS = ("<=", "<", ">=", ">", "==", "!=")


@pytest.mark.parametrize("row", table("logic", "comparisons"))
@pytest.mark.parametrize("sign", SIGNS)
def test_a_comparison_holds_only_if_it_does_for_every_value(row, sign) -> None:
    """It fails only if it does for none; else nobody can say."""
    left, right, *expected = row
    found = evaluate(parse(f"a {sign} b"), {"a": span(left), "b": span(right)}.__getitem__)
    assert found is expected[SIGNS.index(sign)]


@each_row
def test_codes_are_equal_or_not(text, values, expected) -> None:
    """And among a set or not, as far as both are known; what decides a claim decides it whatever the rest."""
    values |= {"t": True, "f": False, "u": None}
    values |= {n: frozenset(v) for n, v in values.items() if isinstance(v, list)}
    assert evaluate(parse(text), values.__getitem__) is expected


@each_row
def test_a_tree_comes_back_from_plain_data(text) -> None:
    """Through JSON, as in the cache."""
    tree = parse(text)
    assert unpack(json.loads(json.dumps(pack(tree)))) == tree


def test_a_sentence_is_text_and_expressions() -> None:
    """Braces hold expressions, shown with their unit or in percent; YAML to type is text."""
    assert sentence("{a.x} of {a.y}: {a.x / a.y:%}, add `site: {outlet: NEMA 5-20}`") == (
        Placeholder(Name("a.x"), is_percentage=False),
        " of ",
        Placeholder(Name("a.y"), is_percentage=False),
        ": ",
        Placeholder(Arithmetic("/", Name("a.x"), Name("a.y")), is_percentage=True),
        ", add `site: {outlet: NEMA 5-20}`",
    )


@pytest.mark.parametrize("text", ["{a.x", "a.x}", "{print(1)}", "{a.x:d}", "{1 + 2}"])
def test_what_is_no_sentence_is_refused(text) -> None:
    """A brace alone, another format, or what the language does not have."""
    with pytest.raises(ValueError, match=r".+"):
        sentence(text)
